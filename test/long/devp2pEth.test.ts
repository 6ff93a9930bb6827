/**
 * The conformance tests of go-ethereum's `devp2p` tool for eth and snap against the built node. Needs the tool and its chains in
 * `$PEERS_CACHE/geth-1.10.26` (default: .cache/peers).
 * @module
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { afterEach, describe, expect, it } from 'vitest'
import { needsTool } from '../support/host/needs.ts'
import { type RunningNode, runCommand, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { runTool } from './devp2pTool.ts'

const cache = process.env['PEERS_CACHE'] ?? path.resolve(import.meta.dirname, '../../.cache/peers')
const folder = path.join(cache, 'geth-1.10.26')
const tool = path.join(folder, 'bin/devp2p')
const fileOf = (name: string): string => path.join(folder, 'testdata', name)

/** The tool sends 2,000 transactions of one account that pay 1 wei per gas. */
const POOL = ['--min-gas-price=0', '--tx-pool-limit-by-account-percentage=1']

let node: RunningNode | undefined

afterEach(async () => {
  await node?.stop()
})

/** A node that has the first third of the tool's chain. */
async function startWithChain(): Promise<string> {
  const chain = [`--genesis-file=${fileOf('genesis.json')}`, `--data-path=${path.join(temporaryDirectory(), 'data')}`]
  const { code, stderr } = await runCommand([...chain, 'blocks', 'import', `--from=${fileOf('halfchain.rlp')}`])
  expect([code, stderr]).toEqual([0, ''])
  node = await startNode([...chain, ...POOL])
  const enode = await node.rpc<string>('net_enode')
  return enode.replace('?discport=0', '')
}

const failures = (output: string): string[] => output.split('\n').filter((line) => line.startsWith('-- FAIL'))

describe('devp2p, the tool of go-ethereum', needsTool('devp2p', existsSync(tool)), () => {
  it.each([
    ['eth-test', 16],
    ['snap-test', 5],
  ])('%s passes', async (suite, tests) => {
    const enode = await startWithChain()
    const output = await runTool(tool, ['rlpx', suite, enode, fileOf('chain.rlp'), fileOf('genesis.json')])
    expect(failures(output)).toEqual([])
    expect(output).toContain(`${tests}/${tests} tests passed.`)
  })
})
