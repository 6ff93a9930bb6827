/**
 * TLS for the HTTP server of Node, Deno and Bun.
 * @module
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { createSecureContext, type TLSSocket, type TlsOptions } from 'node:tls'
import { TLS_HANDSHAKE_TIMEOUT_MS } from '../../../src/base/limits/limits.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { chooseTls, KnownClients } from '../../../src/http/tlsPolicy.ts'
import type { TlsClients, TlsFiles } from '../settings.ts'

export interface TlsSettings {
  readonly options: TlsOptions
  /** Whether the client of a new connection is allowed; undefined: the TLS library has checked it. */
  readonly allows: ((socket: TLSSocket) => boolean) | undefined
  /** Called for each client that is refused because of its certificate. */
  readonly onRefused?: ((client: string, reason: string) => void) | undefined
}

const HAS_CERTIFICATE = /-----BEGIN CERTIFICATE-----/
/** First byte of a PKCS#12 file (RFC 7292). */
const ASN1_SEQUENCE = 0x30
const PEM = 'PEM with a certificate and its key'
const HAS_KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/

/**
 * Reads the key store and the known clients.
 * @throws {NodeError} INVALID_OPTION naming the option or the fault of the file; no message contains a password
 */
export function openTls(files: TlsFiles): TlsSettings {
  const { ciphers, ...versions } = chooseTls(files.protocols, files.cipherSuites)
  if (ciphers !== undefined && process.versions['deno'] !== undefined) {
    throw invalid('--rpc-http-tls-cipher-suites has no effect on Deno, which chooses the cipher suites itself')
  }
  const clients = clientCheck(files.clients)
  const secret = keyStore(files)
  return {
    options: {
      ...secret,
      ...versions,
      ...(ciphers === undefined ? {} : { ciphers, honorCipherOrder: true }),
      handshakeTimeout: TLS_HANDSHAKE_TIMEOUT_MS,
      ...clients.options,
    },
    allows: clients.allows,
  }
}

/** PKCS#12, or PEM with the certificate, its chain and the key. */
function keyStore({ keyStore: file, password: passwordFile }: TlsFiles): TlsOptions {
  const bytes = read(file, 'rpc-http-tls-keystore-file')
  const isPem = bytes.includes('-----BEGIN ')
  if (isPem && !(HAS_CERTIFICATE.test(bytes.toString()) && HAS_KEY.test(bytes.toString()))) throw unloadable(file)
  if (!isPem && bytes[0] !== ASN1_SEQUENCE) throw invalid(`${file} is neither PKCS#12 nor ${PEM}`)
  if (!isPem && passwordFile === undefined) {
    throw invalid(
      'File containing password to unlock keystore is required when TLS is enabled for JSON-RPC HTTP endpoint\nAdd --rpc-http-tls-keystore-password-file.',
    )
  }
  const passphrase =
    passwordFile === undefined ? undefined : firstLine(read(passwordFile, 'rpc-http-tls-keystore-password-file'))
  const secret = {
    ...(isPem ? { key: bytes, cert: bytes } : { pfx: bytes }),
    ...(passphrase === undefined ? {} : { passphrase }),
  }
  try {
    createSecureContext(secret)
  } catch (cause) {
    throw unloadable(file, cause)
  }
  return secret
}

function unloadable(file: string, cause?: unknown): NodeError {
  return invalid(
    `Unable to load the key store ${file}: the password is wrong, or it is neither PKCS#12 nor ${PEM}`,
    cause,
  )
}

function clientCheck(clients: TlsClients | undefined): { readonly options: TlsOptions } & Pick<TlsSettings, 'allows'> {
  if (clients === undefined) return { options: {}, allows: undefined }
  const { knownClients: file, acceptsAuthorities } = clients
  // Certificates without a known authority are refused by the library itself.
  if (file === undefined) {
    return { options: { requestCert: true, rejectUnauthorized: true, ...authorities() }, allows: undefined }
  }
  if (process.versions.bun !== undefined) {
    throw invalid(
      '--rpc-http-tls-known-clients-file is not supported on Bun, whose servers cannot read the certificates of clients; use --rpc-http-tls-ca-clients-enabled, or Node or Deno',
    )
  }
  const knownClients = new KnownClients(read(file, 'rpc-http-tls-known-clients-file').toString())
  return {
    options: { requestCert: true, rejectUnauthorized: false, ...(acceptsAuthorities ? authorities() : {}) },
    allows: (socket) => (acceptsAuthorities && socket.authorized) || isKnown(socket, knownClients),
  }
}

/**
 * Client certificates are checked against the runtime's authorities, including those of NODE_EXTRA_CA_CERTS. Deno's
 * servers know only authorities that are named.
 */
function authorities(): TlsOptions {
  if (process.versions['deno'] === undefined) return {}
  const file = process.env['DENO_CERT'] ?? process.env['NODE_EXTRA_CA_CERTS']
  if (file === undefined) {
    throw invalid(
      '--rpc-http-tls-ca-clients-enabled on Deno needs DENO_CERT, a file with the authorities of the clients',
    )
  }
  return { ca: [read(file, 'rpc-http-tls-ca-clients-enabled').toString()] }
}

function isKnown(socket: TLSSocket, knownClients: KnownClients): boolean {
  const { subject, fingerprint256, valid_from: from, valid_to: to } = socket.getPeerCertificate()
  if (subject === undefined || fingerprint256 === undefined) return false
  const now = Date.now()
  if (now < Date.parse(from) || now > Date.parse(to)) return false
  const { CN: name } = subject as { readonly CN?: string | readonly string[] }
  return typeof name === 'string' && knownClients.has(name, fingerprint256)
}

function read(file: string, option: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw invalid(`Invalid value for option '--${option}': cannot read ${file}`, cause)
  }
}

function firstLine(bytes: Buffer): string {
  return bytes.toString().split(/\r?\n/, 1)[0] as string
}

function invalid(message: string, cause?: unknown): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message, { cause })
}
