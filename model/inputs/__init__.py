"""What people give (a text, a picture, a row of a table) becomes tokens with labels."""
