"""From a priced question to a published table: price, charge, run, noise, certify."""
