"""The analyst's SQL text ▶ a question: lexed, parsed and read by an allow-list."""
