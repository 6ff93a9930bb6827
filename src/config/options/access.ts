/**
 * Options of permissioning and private transactions.
 * @module
 */

// biome-ignore format: one option per line reads as a table
export const ACCESS_OPTIONS = {
  'permissions-nodes-config-file-enabled': { type: 'boolean', group: 'permissioning', default: false, help: 'Enable the node allowlist in a file.' },
  'permissions-nodes-config-file': { type: 'text', group: 'permissioning', form: 'file', help: 'File with the node allowlist (default: <data-path>/permissions_config.toml).', needs: 'permissions-nodes-config-file-enabled' },
  'permissions-accounts-config-file-enabled': { type: 'boolean', group: 'permissioning', default: false, help: 'Enable the account allowlist in a file.' },
  'permissions-accounts-config-file': { type: 'text', group: 'permissioning', form: 'file', help: 'File with the account allowlist (default: <data-path>/permissions_config.toml).', needs: 'permissions-accounts-config-file-enabled' },
  'permissions-nodes-contract-enabled': { type: 'boolean', group: 'permissioning', default: false, help: 'Enable the node allowlist in a contract.' },
  'permissions-nodes-contract-address': { type: 'text', group: 'permissioning', form: 'address', help: 'Address of the node allowlist contract.', needs: 'permissions-nodes-contract-enabled' },
  'permissions-nodes-contract-version': { type: 'integer', group: 'permissioning', default: 1, min: 1, max: 2, help: 'Interface version of the node allowlist contract.', needs: 'permissions-nodes-contract-enabled' },
  'permissions-accounts-contract-enabled': { type: 'boolean', group: 'permissioning', default: false, help: 'Enable the account allowlist in a contract.' },
  'permissions-accounts-contract-address': { type: 'text', group: 'permissioning', form: 'address', help: 'Address of the account allowlist contract.', needs: 'permissions-accounts-contract-enabled' },

  'privacy-enabled': { type: 'boolean', group: 'privacy', default: false, help: 'Enable private transactions (needs the @ethereumjs packages).' },
  'privacy-url': { type: 'text', group: 'privacy', form: 'url', default: 'http://localhost:8888', help: 'URL of the enclave.', needs: 'privacy-enabled' },
  'privacy-public-key-file': { type: 'text', group: 'privacy', form: 'file', help: "File with this node's public key in the enclave.", needs: 'privacy-enabled' },
  'privacy-multi-tenancy-enabled': { type: 'boolean', group: 'privacy', default: false, help: 'Serve several tenants, whom their tokens tell apart.', needs: 'privacy-enabled' },
  'privacy-marker-transaction-signing-key-file': { type: 'text', group: 'privacy', form: 'file', help: 'File with the key that signs privacy marker transactions; without it, each has a random key.', needs: 'privacy-enabled' },
  'privacy-flexible-groups-enabled': { type: 'boolean', group: 'privacy', default: false, help: 'Enable privacy groups that a contract manages.', aliases: ['privacy-onchain-groups-enabled'], needs: 'privacy-enabled' },
  'privacy-enable-database-migration': { type: 'boolean', group: 'privacy', default: false, help: 'Migrate an old private database.', later: 'ignored', needs: 'privacy-enabled' },
  'privacy-tls-enabled': { type: 'boolean', group: 'privacy', default: false, help: 'Connect to the enclave over TLS.', needs: 'privacy-enabled' },
  'privacy-tls-keystore-file': { type: 'text', group: 'privacy', form: 'file', help: 'Key store (PKCS#12).', needs: 'privacy-tls-enabled' },
  'privacy-tls-keystore-password-file': { type: 'text', group: 'privacy', form: 'file', help: 'File with the password of the TLS key store.', needs: 'privacy-tls-enabled' },
  'privacy-tls-known-enclave-file': { type: 'text', group: 'privacy', form: 'file', help: 'File with the fingerprints of known enclaves.', needs: 'privacy-tls-enabled' },
} as const
