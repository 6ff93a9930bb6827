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
  'privacy-multi-tenancy-enabled': { type: 'boolean', group: 'privacy', default: false, help: 'Serve several tenants, identified by their tokens.', needs: 'privacy-enabled' },
  'privacy-marker-transaction-signing-key-file': { type: 'text', group: 'privacy', form: 'file', help: 'File with the key that signs privacy marker transactions; without it, each has a random key.', needs: 'privacy-enabled' },
  'privacy-flexible-groups-enabled': { type: 'boolean', group: 'privacy', default: false, help: 'Enable privacy groups that a contract manages.', aliases: ['privacy-onchain-groups-enabled'], needs: 'privacy-enabled' },
  'privacy-enable-database-migration': { type: 'boolean', group: 'privacy', default: false, help: 'Migrate an old private database.', later: 'ignored', needs: 'privacy-enabled' },
  'privacy-enclave': { type: 'choice', group: 'privacy', default: 'REMOTE', choices: ['REMOTE', 'EMBEDDED'], help: 'REMOTE: an enclave at --privacy-url. EMBEDDED: one inside the node.', needs: 'privacy-enabled' },
  'privacy-enclave-key-files': { type: 'list', group: 'privacy', form: 'file', default: [], help: "Files with the secret keys of the node's enclave; the first is the default key (default: <data-path>/enclave/enclave.key, generated if missing).", aliases: ['enclave-key-files'] },
  'privacy-enclave-password-file': { type: 'text', group: 'privacy', form: 'file', help: 'Passwords for --privacy-enclave-key-files, one per line (empty line: no password).', aliases: ['enclave-password-file'] },
  'privacy-enclave-host': { type: 'text', group: 'privacy', default: '127.0.0.1', help: "Address on which the node's enclave listens for other enclaves.", aliases: ['enclave-host'] },
  'privacy-enclave-port': { type: 'integer', group: 'privacy', default: 9000, min: 0, max: 65535, help: 'Port for other enclaves; 0: any free port, which is printed.', aliases: ['enclave-port'] },
  'privacy-enclave-url': { type: 'text', group: 'privacy', form: 'url', help: "URL that other enclaves use to reach the node's enclave (default: its address and port).", aliases: ['enclave-url'] },
  'privacy-enclave-peers': { type: 'list', group: 'privacy', form: 'url', default: [], help: 'URLs of other enclaves.', aliases: ['enclave-peers'] },
  'privacy-enclave-discovery-enabled': { type: 'boolean', group: 'privacy', default: true, help: 'Accept enclaves not listed in --privacy-enclave-peers, and discover others through them.', aliases: ['enclave-discovery-enabled'] },
  'privacy-tls-enabled': { type: 'boolean', group: 'privacy', default: false, help: 'Connect to the enclave over TLS.', needs: 'privacy-enabled' },
  'privacy-tls-keystore-file': { type: 'text', group: 'privacy', form: 'file', help: 'Key store (PKCS#12).', needs: 'privacy-tls-enabled' },
  'privacy-tls-keystore-password-file': { type: 'text', group: 'privacy', form: 'file', help: 'File with the password of the TLS key store.', needs: 'privacy-tls-enabled' },
  'privacy-tls-known-enclave-file': { type: 'text', group: 'privacy', form: 'file', help: 'File with the fingerprints of known enclaves.', needs: 'privacy-tls-enabled' },
} as const
