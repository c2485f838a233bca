"""Formulas as MathML, which browsers draw themselves: no script is loaded from elsewhere."""

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def mathml(formula: str, *, block: bool = False) -> str:
    """The formula; bars around a value stand close to it, not apart like an operator."""
    written: str = latex2mathml.tex2mathml(formula, as_block=block)
    bar = '<mo stretchy="false"'
    return written.replace(f"{bar}>|<", f'{bar} lspace="0" rspace="0">|<')


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f"<div class='math'>{mathml(node.astext(), block=True)}</div>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
