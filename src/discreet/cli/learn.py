"""``discreet learn``: a page with sliders that teaches differential privacy."""

import sys
import webbrowser
from pathlib import Path
from threading import Thread

import click


@click.command()
@click.option(
    "--port",
    default=0,
    type=click.IntRange(0, 65535),
    help="The port of the page; any that is free unless stated.",
)
@click.option("--no-open", is_flag=True, help="Open no browser.")
@click.option(
    "--html",
    metavar="FILE",
    help="Write the page into one file instead, to be opened or handed on.",
)
def learn(port: int, no_open: bool, html: str | None) -> None:
    """Open a page with sliders that teaches differential privacy.

    Six ideas, each with a picture to be moved: two laws and their ratio, randomized response,
    sensitivity, composition, the attacker and the noisy winner. The page is for this machine
    alone, loads nothing from elsewhere, and is served until Ctrl-C.
    """
    if html is not None:
        from discreet.learn.pages import whole_page

        Path(html).write_text(whole_page(), "utf-8")
        click.echo(f"{html} is the whole page. Open it in a browser.")
        return
    from discreet.learn.app import application
    from discreet.web.addresses import url
    from discreet.web.serving import listening, server

    run = server(application())
    place = listening("127.0.0.1", port)
    page = url("127.0.0.1", place.getsockname()[1])
    click.echo(f"  learn  {page}  (Ctrl-C ends)")
    sys.stdout.flush()
    if not no_open:
        # Beside the server, which answers it: some browsers run in this terminal.
        Thread(target=webbrowser.open_new_tab, args=(page,), daemon=True).start()
    with place:
        run(place)
