"""The only code that sees other people's rows.  What they hand on is Sensitive."""
