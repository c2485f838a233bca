"""How the page of an answer looks: the reader's own fonts, light and dark, screen and paper."""

STYLE = """
:root { --paper: #fff; --ground: #f4f6f8; --ink: #1b2530; --quiet: #55606c; --line: #d9dfe5;
  --accent: #0b5c8f; --bar: #a9cde6; --range: #12324a; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #161d25; --ground: #0e1319; --ink: #e8edf2; --quiet: #a3afbb; --line: #2e3945;
    --accent: #7cc0ec; --bar: #2f5f80; --range: #d9ecf8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
header, section, figure { background: var(--paper); border: 1px solid var(--line);
  border-radius: 10px; padding: 1.5rem 1.75rem; margin: 0 0 1.25rem; }
header { border-top: 4px solid var(--accent); }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .6rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .75rem; }
p { margin: 0 0 .75rem; max-width: 46rem; }
.kicker { color: var(--accent); font-size: .8rem; font-weight: 600; letter-spacing: .06em;
  text-transform: uppercase; margin: 0 0 .35rem; }
.lead { font-size: 1.1rem; }
.asked { color: var(--quiet); font-size: .875rem; }
code, pre { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, "Liberation Mono",
  monospace; font-size: .85em; overflow-wrap: anywhere; }
td code { white-space: nowrap; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr));
  gap: .75rem 1.5rem; margin: 1.25rem 0 0; border-top: 1px solid var(--line); padding-top: 1rem; }
dt { color: var(--quiet); font-size: .85rem; }
dd { margin: 0; }
.facts dd { font-weight: 600; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 4px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.note { color: var(--quiet); font-size: .85rem; margin: .75rem 0 0; }
th, td { text-align: left; vertical-align: top; padding: .5rem .9rem .5rem 0;
  border-bottom: 1px solid var(--line); }
thead th { color: var(--quiet); font-size: .85rem; font-weight: 600;
  border-bottom: 2px solid var(--line); }
tbody th { font-weight: 600; }
tbody tr:last-child > * { border-bottom: 0; }
.n { text-align: right; white-space: nowrap; padding-left: .9rem; padding-right: 0; }
td.n { min-width: 8.5rem; }
.v { font-weight: 600; }
.e { color: var(--quiet); font-size: .85em; }
td svg { display: block; margin-top: .2rem; overflow: visible; }
.b { fill: var(--bar); }
.z { stroke: var(--quiet); stroke-width: 1; }
.i { stroke: var(--range); stroke-width: 1.5; }
.p { fill: var(--accent); }
figure { background: #fff; text-align: center; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; overflow: visible; }
ul { margin: 0; padding-left: 1.2rem; }
li { margin-bottom: .35rem; max-width: 46rem; overflow-wrap: anywhere; }
.reading dt { color: var(--ink); font-size: 1rem; font-weight: 600; }
.reading dd { margin: 0 0 .9rem; max-width: 46rem; }
.certificate dl { margin: 0 0 1rem; }
.certificate dl div { display: grid; grid-template-columns: 7rem 1fr; gap: 0 1rem;
  padding: .3rem 0; border-bottom: 1px solid var(--line); }
.certificate dd { overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--accent); }
pre { white-space: pre-wrap; background: var(--ground); border-radius: 6px; padding: 1rem; }
@media (max-width: 40rem) {
  main { padding: .75rem .5rem 2rem; }
  header, section, figure { padding: 1.1rem 1rem; border-radius: 8px; }
  h1 { font-size: 1.5rem; }
  .certificate dl div { grid-template-columns: 1fr; }
}
@media print {
  :root { --paper: #fff; --ground: #fff; --ink: #000; --quiet: #444; --line: #bbb;
    --accent: #0b5c8f; --bar: #a9cde6; --range: #12324a; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  header, section, figure { border: 0; border-radius: 0; padding: 0; margin: 0 0 1.2rem; }
  h2 { break-after: avoid; }
  tr, figure, .certificate dl div { break-inside: avoid; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
  details { display: none; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
