"""Small false changes of the product, each of which must turn some tests red: `make mutants`."""
