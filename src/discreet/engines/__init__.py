"""The only code that sees other people's rows.  What leaves a room here is Sensitive."""
