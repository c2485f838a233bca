// What would keep a person from using the page: an expression whose value is a list of texts.
(() => {
  const found = [];
  const seen = (element) => element.getClientRects().length > 0;
  const name = (element) => (element.getAttribute("aria-label") ||
    (element.getAttribute("aria-labelledby") || "").split(" ").filter(Boolean)
      .map((id) => document.getElementById(id)?.textContent || "").join(" ") ||
    [...(element.labels || [])].map((label) => label.textContent).join(" ") ||
    (["BUTTON", "A", "SUMMARY"].includes(element.tagName) ? element.textContent : "")).trim();
  if (!document.documentElement.lang) found.push("the page has no language");
  if (!document.title.trim()) found.push("the page has no title");
  if (document.querySelectorAll("main").length !== 1) found.push("there is not one main part");
  if (document.querySelectorAll("h1").length !== 1) found.push("there is not one first heading");
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) found.push("an id stands twice");
  for (const element of document.querySelectorAll("input, select, textarea")) {
    if (element.hasAttribute("name")) found.push("a field has a name attribute");
  }
  if (document.querySelector("form")) found.push("there is a form that could be sent");
  for (const element of document.querySelectorAll("input, select, button, a, summary, [role=img], [role=region], [role=radiogroup]")) {
    if (seen(element) && !name(element)) found.push(`no name: ${element.outerHTML.slice(0, 80)}`);
  }
  for (const element of document.querySelectorAll("[aria-labelledby], [aria-describedby], label[for]")) {
    const said = `${element.getAttribute("aria-labelledby") || ""} ${element.getAttribute("for") || ""}`;
    for (const id of said.split(" ").filter(Boolean)) {
      if (!document.getElementById(id)) found.push(`no element ${id}`);
    }
  }
  for (const element of document.querySelectorAll("[style], style, script:not([src])")) {
    found.push(`inline: ${element.outerHTML.slice(0, 80)}`);
  }
  for (const element of document.querySelectorAll("[tabindex]")) {
    if (element.tabIndex > 0) found.push("a tabindex above 0 changes the order");
  }
  let level = 0;
  for (const heading of [...document.querySelectorAll("h1, h2, h3")].filter(seen)) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) found.push(`heading ${own} after ${level}`);
    if (!heading.textContent.trim()) found.push("an empty heading");
    level = own;
  }
  for (const element of document.querySelectorAll("button, select, input:not([type=radio]):not([type=checkbox]), label:has(input)")) {
    const box = element.getBoundingClientRect();
    if (seen(element) && (box.height < 24 || box.width < 24)) found.push(`too small: ${element.id}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the screen");
  const light = (color) => {
    const [r, g, b] = color.match(/[\d.]+/g).map(Number).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (!/, 0\)$/.test(color) && color !== "transparent") return color;
    }
    return "rgb(255, 255, 255)";
  };
  for (const element of document.querySelectorAll("h1, h2, p, label, button, a, th, td, caption, summary, pre")) {
    if (!seen(element) || !element.textContent.trim() || element.disabled) continue;
    const [one, two] = [light(getComputedStyle(element).color), light(ground(element))];
    const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (contrast < 4.5) found.push(`contrast ${contrast.toFixed(1)}: ${element.outerHTML.slice(0, 60)}`);
  }
  return found;
})()
