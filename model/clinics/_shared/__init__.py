"""What several clinics use."""
