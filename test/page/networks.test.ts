/** The explorer on networks of Clique and QBFT, where this node seals. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/base/primitives/bytes.ts'
import { encodeExtraData as bftExtraData, initialExtraData } from '../../src/consensus/bft/extraData.ts'
import { QBFT } from '../../src/consensus/bft/flavour.ts'
import { encodeExtraData as cliqueExtraData } from '../../src/consensus/clique/extraData.ts'
import { type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { findings } from './support/accessibility.ts'
import { launch, needsChromium, openTab, openView } from './support/chromium.ts'

/** The key of the first dev account. */
const KEY = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const SEALER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const VANITY = new Uint8Array(32)

interface Network {
  readonly name: string
  /** In the configuration of the genesis file. */
  readonly engine: object
  readonly extraData: Uint8Array
  /** Texts of the view of a block and of that of the network. */
  readonly texts: Readonly<Record<'block' | 'network', string>>
}

const NETWORKS: readonly Network[] = [
  {
    name: 'Clique',
    engine: { clique: { blockperiodseconds: 1, epochlength: 30_000 } },
    extraData: cliqueExtraData(new Uint8Array(0), [hexToBytes(SEALER)]),
    texts: { block: 'Extra data of Clique', network: 'Signers of Clique' },
  },
  {
    name: 'QBFT',
    engine: { qbft: { blockperiodseconds: 1, epochlength: 30_000, requesttimeoutseconds: 4 } },
    extraData: bftExtraData(initialExtraData([hexToBytes(SEALER)], VANITY), QBFT),
    texts: { block: 'Extra data of QBFT', network: 'Validators of QBFT' },
  },
]

async function start({ engine, extraData }: Network): Promise<RunningNode> {
  const folder = temporaryDirectory()
  const [genesis, key] = [path.join(folder, 'genesis.json'), path.join(folder, 'key')]
  const isBft = 'qbft' in engine
  const config = { chainId: 4242, berlinBlock: 0, londonBlock: 0, zeroBaseFee: true, ...engine }
  const content = {
    config,
    nonce: '0x0',
    timestamp: '0x0',
    gasLimit: '0x1c9c380',
    difficulty: '0x1',
    extraData: bytesToHex(extraData),
    ...(isBft ? { mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365' } : {}),
    alloc: { [SEALER]: { balance: '0x21e19e0c9bab2400000' } },
  }
  writeFileSync(genesis, JSON.stringify(content))
  writeFileSync(key, KEY)
  const files = [
    `--genesis-file=${genesis}`,
    `--node-private-key-file=${key}`,
    `--data-path=${path.join(folder, 'data')}`,
  ]
  return startNode([...files, '--ui', '--rpc-http-api=ETH,NET,WEB3,TXPOOL,ADMIN,CLIQUE,QBFT,DEBUG,TRACE,OTS'])
}

describe.each(NETWORKS)('the explorer on a network of $name', needsChromium, (network) => {
  let node: RunningNode
  let browser: Browser
  beforeAll(async () => {
    ;[node, browser] = await Promise.all([start(network), launch()])
  })
  afterAll(async () => {
    await browser?.close()
    await node?.stop()
  })

  it('shows its blocks, seals and members', async () => {
    const height = async (): Promise<number> => Number(await node.rpc('eth_blockNumber'))
    await expect.poll(height, { timeout: 30_000 }).toBeGreaterThan(1)
    const { page, faults, close } = await openTab(browser, node.url)
    for (const [view, route] of Object.entries({ block: '/block/1', network: '/network' })) {
      await openView(page, node.url, route)
      await page
        .getByText(network.texts[view as 'block' | 'network'])
        .first()
        .waitFor()
      expect(await findings(page)).toEqual([])
    }
    for (const route of ['/', '/pool', '/charts', `/address/${SEALER}`]) await openView(page, node.url, route)
    // Networks have WebSockets at another port: the page asks where, and polls.
    expect(faults).toEqual([])
    await close()
  })
})
