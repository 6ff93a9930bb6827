/** State dumps in files: at the end, at an interval, loaded at the start. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from '../../support/host/eventually.ts'
import { runCommand, startNode, temporaryDirectory } from '../../support/nodes/program.ts'

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const STRANGER = '0x00000000000000000000000000000000000000aa'

let directory: string
beforeEach(() => {
  directory = temporaryDirectory()
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const file = (name: string) => path.join(directory, name)

it('--state keeps the chain of a node in memory', async () => {
  const state = file('state.json')
  const first = await startNode(['--ephemeral', `--state=${state}`])
  await first.rpc('eth_sendTransaction', [{ from: ALICE, to: STRANGER, value: '0x5' }])
  await first.rpc('anvil_setBalance', [STRANGER, '0x64'])
  const head = await first.rpc('eth_getBlockByNumber', ['latest', true])
  expect((await first.stop()).code).toBe(0)
  expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ best_block_number: 1 })

  const second = await startNode(['--ephemeral', `--load-state=${state}`, `--dump-state=${directory}`])
  expect(await second.rpc('eth_getBlockByNumber', ['latest', true])).toEqual(head)
  expect(await second.rpc('eth_getBalance', [STRANGER, 'latest'])).toBe('0x64')
  await second.rpc('evm_mine', [])
  expect((await second.stop()).code).toBe(0)
  expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ best_block_number: 2 })
})

it('--state-interval dumps while the node runs, so that a kill loses little', async () => {
  const state = file('dump.json')
  const node = await startNode(['--ephemeral', `--dump-state=${state}`, '--state-interval=1'])
  await node.rpc('evm_mine', [])
  await eventually(() => expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ best_block_number: 1 }))
  await node.kill()
})

it('a file that is cut, absent or cannot be written is one clear line', async () => {
  const state = file('state.json')
  const node = await startNode(['--ephemeral', `--state=${state}`])
  expect((await node.stop()).code).toBe(0)
  writeFileSync(file('cut.json'), readFileSync(state, 'utf8').slice(0, 1200))
  const serve = ['--ephemeral', '--rpc-http-port=0', '--rpc-ws-enabled=false']
  for (const [option, message] of [
    [`--load-state=${file('cut.json')}`, 'the dump is not valid: it is incomplete, its end is missing'],
    [`--load-state=${file('none.json')}`, 'no such file'],
    [`--dump-state=${file('none/x.json')}`, 'the state cannot be dumped to'],
    ['--state-interval=5', '--state-interval needs --state or --dump-state'],
  ] as const) {
    const { code, stdout, stderr } = await runCommand([...serve, option])
    expect(code).toBe(1)
    expect(`${stdout}${stderr}`).toContain(message)
  }
  expect(existsSync(file('none'))).toBe(false)
})
