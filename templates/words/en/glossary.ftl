# /glossary.
-found_by = glossary, definition, dictionary of terms, vocabulary of the field, jargon
