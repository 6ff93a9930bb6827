/** web3j's client for Besu calls the methods of Clique, IBFT 2.0 and QBFT. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../src/base/ports/keySigner.ts'
import { bytesToHex, bytesToHexUnprefixed, EMPTY_BYTES } from '../../src/base/primitives/bytes.ts'
import { encodeExtraData, initialExtraData } from '../../src/consensus/bft/extraData.ts'
import { IBFT2, QBFT } from '../../src/consensus/bft/flavour.ts'
import { needsTool } from '../support/host/needs.ts'
import { cliqueGenesis } from '../support/nodes/cliqueNode.ts'
import { startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { isInstalled, PEERS_CACHE, runToEnd, waitForHeight } from './realPeers.ts'

const KEY = new Uint8Array(32).fill(0x5a)
const SIGNER = new KeySigner(KEY)
const ACCOUNT = `0x${'42'.repeat(20)}`
const PROGRAM = path.resolve(import.meta.dirname, 'BesuClient.java')

function bftGenesis(key: 'ibft2' | 'qbft'): string {
  const extraData = encodeExtraData(initialExtraData([SIGNER.address], EMPTY_BYTES), key === 'qbft' ? QBFT : IBFT2)
  const bft = { blockperiodseconds: 1, epochlength: 30_000, requesttimeoutseconds: 2 }
  const clique = JSON.parse(cliqueGenesis([SIGNER])) as object
  const config = { chainId: 2128, londonBlock: 0, [key]: bft }
  return JSON.stringify({ ...clique, config, extraData: bytesToHex(extraData) })
}

describe('web3j', needsTool('web3j-besu', isInstalled('web3j-besu')), () => {
  it.each([
    ['clique', cliqueGenesis([SIGNER], { blockperiodseconds: 1 })],
    ['ibft', bftGenesis('ibft2')],
    ['qbft', bftGenesis('qbft')],
  ])('calls the methods of %s', async (consensus, genesis) => {
    const directory = temporaryDirectory()
    const [file, key] = [path.join(directory, 'genesis.json'), path.join(directory, 'key')]
    writeFileSync(file, genesis)
    writeFileSync(key, bytesToHexUnprefixed(KEY))
    const node = await startNode([
      `--genesis-file=${file}`,
      `--data-path=${directory}/data`,
      `--node-private-key-file=${key}`,
      '--rpc-http-api=ETH,CLIQUE,IBFT,QBFT',
    ])
    await waitForHeight(node, 2)
    const classes = path.join(PEERS_CACHE, 'web3j-besu/lib/*')
    const output = await runToEnd('java', ['-cp', classes, PROGRAM, consensus, node.url, ACCOUNT])
    const answers = Object.fromEntries(output.split('\n').map((line) => line.split(/=(.*)/, 2)))
    const own = bytesToHex(SIGNER.address)
    expect(answers).toMatchObject({
      block: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      members: `[${own}]`,
      membersAtHash: `[${own}]`,
      proposed: 'true',
      votes: `{${ACCOUNT}=true}`,
      discarded: 'true',
      votesLeft: '{}',
      ...(consensus === 'clique' ? {} : { sealers: `[${own}]` }),
    })
    expect((await node.stop()).code).toBe(0)
    expect(node.output()).not.toContain('ERROR')
  })
})
