import { bytesToHexUnprefixed } from '../primitives/bytes.ts'

/**
 * enode://<public key>@<host>:<port>
 * @param publicKey 64 bytes x ‖ y
 */
export function enodeUrl(publicKey: Uint8Array, host: string, port: number): string {
  const address = host.includes(':') ? `[${host}]` : host
  return `enode://${bytesToHexUnprefixed(publicKey)}@${address}:${port}`
}
