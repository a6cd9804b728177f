"""One file per theorem; README.md is the ledger.  Installed as exactlearn.proofs, run by exactlearn.proving."""
