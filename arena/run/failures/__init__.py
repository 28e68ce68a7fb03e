"""What a run does about lost games: whom to blame, what is void, what to keep beside the database."""
