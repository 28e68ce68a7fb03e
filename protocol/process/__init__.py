"""An engine as a process: started, limited, sandboxed, and ended for certain."""
