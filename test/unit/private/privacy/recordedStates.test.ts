// slow: whole recorded chains
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fromBase64 } from '../../../../src/base/primitives/base64.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { chainTo, groupRoot } from '../../../../src/private/privacy/privateRecords.ts'
import { FakeEnclave } from '../../../support/private/fakeEnclave.ts'
import { openPrivateChain, recordedGroup } from '../../../support/private/privateChain.ts'
import { recordedPath } from '../../../support/recorded/conformance.ts'
import { importFile } from '../../../support/recorded/recordedChains.ts'

const CHAINS = [
  { folder: 'besu/privacy', member: 'a', isFlexible: false },
  { folder: 'besu/privacy', member: 'b', isFlexible: false },
  { folder: 'besu/privacy-flexible', member: 'a', isFlexible: true },
  { folder: 'besu/privacy-flexible', member: 'b', isFlexible: true },
  { folder: 'besu/privacy-flexible', member: 'c', isFlexible: true },
]

describe('private states', () => {
  const file = (folder: string, name: string): string => recordedPath(folder, name)

  for (const { folder, member, isFlexible } of CHAINS) {
    it(`${folder} of member ${member} has the recorded roots`, async () => {
      const enclave = FakeEnclave.read(file(folder, `enclave-${member}.json`))
      const genesis = readFileSync(file(folder, 'genesis.json'), 'utf8')
      const { chain, kv } = await openPrivateChain({ enclave, genesis, isFlexible })
      const report = await importFile(chain, [new Uint8Array(readFileSync(file(folder, 'blocks.bin')))])
      expect(report.end).toEqual({ kind: 'done' })
      const links = {
        canonicalHash: (number: number) => chain.canonicalHash(number),
        parentHash: (hash: Uint8Array) => chain.headerByHash(hash)?.header.parentHash,
      }
      const found: Record<string, string> = {}
      const wanted: Record<string, unknown> = {}
      for (const { name, request, response } of recordedGroup(`${folder}/cases-${member}/priv_debugGetStateRoot`)) {
        const [group, block] = request.params as [string, string]
        if (typeof response.result !== 'string' || !/^0x/.test(block)) continue
        const number = Number(block)
        const end = { number, hash: chain.canonicalHash(number) as Uint8Array }
        wanted[name] = response.result
        found[name] = bytesToHex(groupRoot(kv, fromBase64(group) as Uint8Array, number, chainTo(end, links)).hash)
      }
      expect(Object.keys(wanted).length).toBeGreaterThan(3)
      expect(found).toEqual(wanted)
    }, 60_000)
  }
})
