"""What people give (text now; pictures and table rows later) becomes tokens with labels."""
