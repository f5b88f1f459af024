"""From bytes to characters: charset, HTML tree, PDF text, language. No decisions about pages."""
