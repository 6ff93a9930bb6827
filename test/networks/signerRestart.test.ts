/** A signer of Clique and a validator of QBFT, as processes that are killed and started again. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../src/base/ports/keySigner.ts'
import { bytesToHex, bytesToHexUnprefixed, EMPTY_BYTES } from '../../src/base/primitives/bytes.ts'
import { encodeExtraData, initialExtraData } from '../../src/consensus/bft/extraData.ts'
import { QBFT } from '../../src/consensus/bft/flavour.ts'
import { eventually } from '../support/host/eventually.ts'
import { cliqueGenesis } from '../support/nodes/cliqueNode.ts'
import { RUNTIMES, type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'

const KEY = new Uint8Array(32).fill(0x5a)
const SIGNER = new KeySigner(KEY)
const KILLS = 3

function qbftGenesis(): string {
  const extraData = encodeExtraData(initialExtraData([SIGNER.address], EMPTY_BYTES), QBFT)
  const qbft = { blockperiodseconds: 1, epochlength: 30_000, requesttimeoutseconds: 2 }
  const clique = JSON.parse(cliqueGenesis([SIGNER])) as { config: object }
  return JSON.stringify({
    ...clique,
    config: { chainId: 2128, londonBlock: 0, qbft },
    extraData: bytesToHex(extraData),
  })
}

const height = async (node: RunningNode): Promise<number> => Number(await node.rpc('eth_blockNumber'))
const hashOf = async (node: RunningNode, number: number): Promise<string> => {
  const block = await node.rpc<{ hash: string }>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
  return block.hash
}

describe.each(RUNTIMES)('a member of a network on %s', (runtime) => {
  it.each([
    ['clique', cliqueGenesis([SIGNER], { blockperiodseconds: 1 })],
    ['qbft', qbftGenesis()],
  ])('continues its chain after it is killed: %s', { timeout: 120_000 }, async (_, genesis) => {
    const folder = temporaryDirectory()
    const [file, keyFile] = ['genesis.json', 'key'].map((name) => path.join(folder, name)) as [string, string]
    writeFileSync(file, genesis)
    writeFileSync(keyFile, bytesToHexUnprefixed(KEY))
    const args = [`--genesis-file=${file}`, `--node-private-key-file=${keyFile}`, `--data-path=${folder}/data`]
    const hashes = new Map<number, string>()
    let newest = 0
    for (let life = 0; life <= KILLS; life++) {
      const node = await startNode([...args, '--p2p-enabled=false'], { runtime })
      for (const [number, hash] of hashes) expect(await hashOf(node, number)).toBe(hash)
      const before = await height(node)
      expect(before).toBeGreaterThanOrEqual(newest)
      await eventually(async () => expect(await height(node)).toBeGreaterThan(before + 1))
      newest = await height(node)
      hashes.set(newest, await hashOf(node, newest))
      const { code } = life === KILLS ? await node.stop() : await node.kill()
      expect(code).toBe(life === KILLS ? 0 : null)
      expect(node.output()).not.toContain('ERROR')
    }
  })
})
