import { describe, expect, it } from 'vitest'
import { bytesToHex, equalBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { rlpDecodeList } from '../../../src/base/primitives/rlp.ts'
import { provenAccount } from '../../../src/state/accountProof.ts'
import { KnownParts, readHash } from '../../../src/state/knownParts.ts'
import { decodeHeader, hashHeader } from '../../../src/types/headerCodec.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'

interface Witness {
  readonly output: string
  readonly error?: string
  readonly gasUsed: string
  readonly accessList: readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
  readonly state: readonly string[]
  readonly codes: readonly string[]
  readonly headers: readonly string[]
}

const open = closedAfterEach()
const CONTRACT = '0x00000000000000000000000000000000000c0de1'
const OTHER = '0x00000000000000000000000000000000000c0de2'
const REVERTING = '0x00000000000000000000000000000000000c0de3'
const SLOT = `0x${'0'.repeat(63)}5`
/** Sums slot 5, the balance of another contract and the hash of block 2, and writes slot 6. */
const CODE = evmCode(
  `5 SLOAD ${OTHER} BALANCE ADD 2 BLOCKHASH ADD 0 MSTORE 1 6 SSTORE ${OTHER} EXTCODESIZE POP 32 0 RETURN`,
)

async function chain() {
  const { rpc } = await open()
  await rpc('hardhat_setCode', CONTRACT, bytesToHex(CODE))
  await rpc('hardhat_setCode', OTHER, '0x6001')
  await rpc('hardhat_setCode', REVERTING, bytesToHex(evmCode('0 0 REVERT')))
  await rpc('hardhat_setBalance', OTHER, '0x77')
  await rpc('hardhat_setStorageAt', CONTRACT, SLOT, `0x${'0'.repeat(62)}99`)
  await rpc('hardhat_mine', '0x4')
  return rpc
}

describe('isonode_callWitness', () => {
  it('proves everything that the call read, from the hash of its block', async () => {
    const rpc = await chain()
    const call = { to: CONTRACT }
    const witness = await rpc<Witness>('isonode_callWitness', call, 'latest')
    expect(witness.output).toBe(await rpc('eth_call', call, 'latest'))
    expect(witness.error).toBeUndefined()
    const hashes = witness.headers.map((header) => keccak256(hexToBytes(header)))
    const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    expect(bytesToHex(hashes[0] as Uint8Array)).toBe(hash)
    const headers = witness.headers.map((header) => decodeHeader(rlpDecodeList(hexToBytes(header))))
    for (const [i, header] of headers.slice(1).entries()) {
      expect(hashHeader(header)).toEqual(headers[i]?.parentHash)
    }
    // The header of block 3 names the hash of block 2.
    expect(headers.at(-1)?.number).toBe(3n)
    const { stateRoot } = headers[0] as (typeof headers)[0]
    for (const address of [CONTRACT, OTHER]) {
      const proof = nodesOnPath(witness.state, stateRoot, hexToBytes(address))
      const account = provenAccount(stateRoot, hexToBytes(address), proof, address)
      expect(witness.codes).toContain(await rpc('eth_getCode', address, 'latest'))
      expect(account?.balance).toBe(BigInt(await rpc<string>('eth_getBalance', address, 'latest')))
    }
    const reads = new Map(witness.accessList.map((entry) => [entry.address, entry.storageKeys]))
    expect(reads.get(CONTRACT)).toEqual([SLOT, SLOT.replace(/5$/, '6')])
    expect(reads.get(OTHER)).toEqual([])
  })

  it('leaves out what its caller has', async () => {
    const rpc = await chain()
    const whole = await rpc<Witness>('isonode_callWitness', { to: CONTRACT }, 'latest')
    const known = new KnownParts()
    for (const part of [...whole.state, ...whole.codes, ...whole.headers]) known.add(keccak256(hexToBytes(part)))
    for (const { address, storageKeys } of whole.accessList) {
      known.add(readHash(hexToBytes(address)))
      for (const slot of storageKeys.slice(1)) known.add(readHash(hexToBytes(address), hexToBytes(slot)))
    }
    const ask = (parts: string) => rpc<Witness>('isonode_callWitness', { to: CONTRACT }, 'latest', parts)
    const { output, gasUsed } = whole
    const accessList = [{ address: CONTRACT, storageKeys: [SLOT] }]
    const empty = { output, gasUsed, accessList, state: [], codes: [], headers: [] }
    expect(await ask(bytesToHex(known.toBytes()))).toEqual(empty)
    // An incomplete part at the end.
    expect(await ask(`${bytesToHex(known.toBytes())}ff`)).toEqual(empty)
    expect(await ask('0x')).toEqual(whole)
    await rpc('hardhat_setStorageAt', CONTRACT, SLOT, `0x${'0'.repeat(62)}98`)
    await rpc('evm_mine')
    const later = await ask(bytesToHex(known.toBytes()))
    expect(later.codes).toEqual([])
    expect(later.state.length).toBeGreaterThan(1)
    expect(later.state.length).toBeLessThan(whole.state.length)
    await expect(ask('0x0')).rejects.toThrow()
  })

  it('answers a call that fails with its output and its error', async () => {
    const rpc = await chain()
    const reverted = await rpc<Witness>('isonode_callWitness', { to: REVERTING }, 'latest')
    expect(reverted).toMatchObject({ output: '0x', error: 'execution reverted' })
    const poor = { from: OTHER, to: CONTRACT, value: '0xffff', gasPrice: '0x77359400', gas: '0x10000' }
    const refused = await rpc<Witness>('isonode_callWitness', poor, 'latest')
    expect(refused).toMatchObject({ output: '0x', gasUsed: '0x0' })
    expect(refused.error).toMatch(/insufficient funds/)
    expect(refused.accessList.map(({ address }) => address)).toContain(OTHER)
  })

  it('refuses an unknown block', async () => {
    const rpc = await chain()
    await expect(rpc('isonode_callWitness', { to: CONTRACT }, '0x999')).rejects.toThrow(/not found/)
  })
})

/** Picks the nodes of one path: the witness has those of all. */
function nodesOnPath(state: readonly string[], root: Uint8Array, address: Uint8Array): Uint8Array[] {
  const nodes = new Map(state.map((node) => [bytesToHex(keccak256(hexToBytes(node))), hexToBytes(node)]))
  const path: Uint8Array[] = []
  const digits = bytesToHex(keccak256(address)).slice(2)
  for (let hash: Uint8Array | undefined = root; hash !== undefined; ) {
    const node = nodes.get(bytesToHex(hash))
    if (node === undefined) throw new Error('the witness lacks a node')
    path.push(node)
    const items = rlpDecodeList(node)
    const next = items.length === 17 ? items[Number.parseInt(digits.charAt(path.length - 1), 16)] : undefined
    hash = next instanceof Uint8Array && next.length === 32 && !equalBytes(next, address) ? next : undefined
  }
  return path
}
