# /glossary.
-found_by = glossaire, définition, définitions, dictionnaire des termes, vocabulaire du domaine, lexique, jargon
