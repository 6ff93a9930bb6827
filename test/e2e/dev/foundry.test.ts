/** A Foundry project that is not adapted to this node, and cast, on the dev chain. */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsTool } from '../../support/host/needs.ts'
import { foundryTool, runTool } from '../../support/host/tools.ts'
import { DEV_HOSTS, DEV_MNEMONIC, type DevNode, startDevNode } from '../../support/nodes/devNode.ts'
import { temporaryDirectory } from '../../support/nodes/program.ts'

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures')
const STEP_TIMEOUT_MS = 180_000
const NOBODY = '0x1234567890123456789012345678901234567890'
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const [FORGE, CAST] = [foundryTool('forge'), foundryTool('cast')]
const hasTools = FORGE !== undefined && CAST !== undefined

const account = mnemonicToAccount(DEV_MNEMONIC, { addressIndex: 0 })
const OWNER = account.address
const KEY = toHex(account.getHdKey().privateKey as Uint8Array)

describe.each(DEV_HOSTS)('Foundry on %s', needsTool('Foundry', hasTools), (host) => {
  let node: DevNode
  let project: string
  let token: string
  let deployedAt: string

  const run = (program: string | undefined, args: readonly string[], env = {}): Promise<string> =>
    runTool(program as string, args, {
      cwd: project,
      env: {
        ETH_RPC_URL: node.http,
        SOLC_RESOLVE_FROM: import.meta.filename,
        FOUNDRY_DISABLE_NIGHTLY_WARNING: '1',
        ...env,
      },
    })
  const forge = (...args: readonly string[]): Promise<string> => run(FORGE, args)
  const cast = (...args: readonly string[]): Promise<string> => run(CAST, args)

  beforeAll(async () => {
    node = await startDevNode(host)
    project = temporaryDirectory()
    cpSync(path.join(FIXTURES, 'foundry'), project, { recursive: true })
    cpSync(path.join(FIXTURES, 'contracts'), path.join(project, 'src'), { recursive: true })
    await forge('build')
  }, STEP_TIMEOUT_MS)
  afterAll(async () => {
    expect(await node.stop()).toBe(0)
  })

  it('forge script deploys', { timeout: STEP_TIMEOUT_MS }, async () => {
    const printed = await forge('script', 'Deploy', '--broadcast', '--rpc-url', node.http, '--private-key', KEY)
    expect(printed).toContain('ONCHAIN EXECUTION COMPLETE & SUCCESSFUL')
    token = /token: contract Token (0x\S+)/.exec(printed)?.[1] as string
    expect(await cast('call', token, 'balanceOf(address)(uint256)', OWNER)).toBe('995')
    const same = /same: contract Token (0x\S+)/.exec(printed)?.[1] as string
    expect(await cast('call', same, 'totalSupply()(uint256)')).toBe('50')
    deployedAt = await cast('block-number')
  })

  it('forge test runs on a fork', { timeout: STEP_TIMEOUT_MS }, async () => {
    const env = { TOKEN: token, OWNER, BLOCK: deployedAt }
    const printed = await run(FORGE, ['test', '--fork-url', node.http, '-vv'], env)
    expect(printed).toMatch(/5 passed; 0 failed/)
  })

  it('forge create deploys', { timeout: STEP_TIMEOUT_MS }, async () => {
    const printed = await forge(
      'create',
      'src/Token.sol:Token',
      '--broadcast',
      '--json',
      ...['--private-key', KEY, '--constructor-args', '77'],
    )
    const { deployedTo, deployer } = JSON.parse(printed) as { deployedTo: string; deployer: string }
    expect(deployer).toBe(OWNER)
    expect(await cast('call', deployedTo, 'totalSupply()(uint256)')).toBe('77')
    const unlocked = await forge(
      'create',
      'src/Token.sol:Token',
      '--broadcast',
      '--unlocked',
      ...['--from', OWNER, '--constructor-args', '78'],
    )
    expect(unlocked).toContain('Deployed to: 0x')
  })

  it('cast sends, calls and reads', { timeout: STEP_TIMEOUT_MS }, async () => {
    const transfer = [token, 'transfer(address,uint256)', NOBODY, '9']
    const receipt = JSON.parse(await cast('send', ...transfer, '--private-key', KEY, '--json'))
    expect(receipt).toMatchObject({ status: '0x1', from: OWNER.toLowerCase() })
    expect(await cast('call', token, 'balanceOf(address)(uint256)', NOBODY)).toBe('9')
    expect(JSON.parse(await cast('send', ...transfer, '--unlocked', '--from', OWNER, '--json')).status).toBe('0x1')
    await expect(
      cast('send', token, 'transfer(address,uint256)', NOBODY, '5000', '--private-key', KEY),
    ).rejects.toThrow('InsufficientBalance')
    const logs = JSON.parse(await cast('logs', '--from-block', '1', '--address', token, TRANSFER, '--json'))
    expect(logs).toHaveLength(4)
    const [, , , last] = logs as { transactionHash: string }[]
    expect(JSON.parse(await cast('tx', last?.transactionHash as string, '--json'))).toMatchObject({ type: '0x2' })
    expect(await cast('run', receipt.transactionHash)).toContain('Transaction successfully executed')
    expect(await cast('estimate', NOBODY, '--value', '1')).toBe('21000')
    const blob = await cast('send', NOBODY, '--value', '1', '--private-key', KEY, '--legacy', '--json')
    expect(JSON.parse(blob)).toMatchObject({ status: '0x1', type: '0x0' })
  })

  it('cast uses the helpers of the dev chain', { timeout: STEP_TIMEOUT_MS }, async () => {
    expect(await cast('rpc', 'anvil_setBalance', NOBODY, '0x64')).toBe('null')
    expect(await cast('balance', NOBODY)).toBe('100')
    const before = Number(await cast('block-number'))
    await cast('rpc', 'anvil_mine', '5')
    expect(Number(await cast('block-number'))).toBe(before + 5)
    await cast('rpc', 'anvil_impersonateAccount', NOBODY)
    await cast('rpc', 'anvil_setBalance', NOBODY, toHex(10n ** 18n))
    const sent = await cast('send', OWNER, '--value', '1', '--from', NOBODY, '--unlocked', '--json')
    expect(JSON.parse(sent)).toMatchObject({ status: '0x1', from: NOBODY })
    const delegated = await cast('send', NOBODY, '--auth', NOBODY, '--private-key', KEY, '--json')
    expect(JSON.parse(delegated)).toMatchObject({ status: '0x1', type: '0x4' })
    expect(await cast('code', OWNER)).toBe(`0xef0100${NOBODY.slice(2)}`)
  })
})
