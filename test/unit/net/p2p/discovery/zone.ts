import type { Dns } from '../../../../../src/base/ports/dns.ts'
import type { Signer } from '../../../../../src/base/ports/signer.ts'
import { toBase32, toBase64Url } from '../../../../../src/base/primitives/baseEncoding.ts'
import { concatBytes } from '../../../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../../../src/base/primitives/errors.ts'
import { keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import { compressedKey } from '../../../../../src/base/primitives/secp256k1.ts'

/** A zone that counts the questions. */
export class Zone implements Dns {
  readonly texts: Map<string, string>
  readonly asked: string[] = []

  constructor(texts: Readonly<Record<string, string>> = {}) {
    this.texts = new Map(Object.entries(texts))
  }

  async resolveTxt(name: string): Promise<string[]> {
    this.asked.push(name)
    const text = this.texts.get(name)
    if (text === 'fail') throw new NodeError({ code: 'DNS_FAILED' }, 'time-out')
    return text === undefined ? [] : ['v=spf1 -all', text]
  }

  /** @returns the name of the text */
  add(domain: string, text: string): string {
    const name = toBase32(keccak256(new TextEncoder().encode(text)).subarray(0, 16))
    this.texts.set(`${name}.${domain}`, text)
    return name
  }

  addRoot(domain: string, signer: Signer, records: string, links: string, seq = 1): string {
    const content = `enrtree-root:v1 e=${records} l=${links} seq=${seq}`
    const { signature, yParity } = signer.sign(keccak256(new TextEncoder().encode(content)))
    this.texts.set(domain, `${content} sig=${toBase64Url(concatBytes(signature, Uint8Array.of(yParity)))}`)
    return `enrtree://${toBase32(compressedKey(signer.publicKey))}@${domain}`
  }
}
