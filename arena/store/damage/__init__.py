"""A damaged database: find what is damaged, and read what can be read. Nothing here changes the file."""
