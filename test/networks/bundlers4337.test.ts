/** Bundlers of ERC-4337 on the built node, which has the EntryPoints from its genesis on. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { type Address, bytesToHex, type Hex, http, parseAbi, parseEther } from 'viem'
import {
  type BundlerClient,
  createBundlerClient,
  type SmartAccount,
  toSimple7702SmartAccount,
} from 'viem/account-abstraction'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountAbstractionArtifact, ENTRY_POINTS, SUPPLIED_FOLDER } from '../support/evm/suppliedContracts.ts'
import { eventually } from '../support/host/eventually.ts'
import { needsTool } from '../support/host/needs.ts'
import { freePort } from '../support/host/ports.ts'
import { DEV_MNEMONIC } from '../support/nodes/devNode.ts'
import { type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import {
  carelessAccount,
  ENTRY_POINT_ADDRESSES,
  simpleAccount,
  type TestedVersion,
} from '../support/rpc/userOperations.ts'
import { connect, type DevClient, devAccount } from '../support/rpc/viemClient.ts'

const TARGET = '0x00000000000000000000000000000000000000aa'
/** Fees that bundlers accept on a new chain. */
const FEES = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
/** For a bundler whose estimate begins with the limits of the operation, which viem leaves at 0. */
const GAS = { callGasLimit: 200_000n, verificationGasLimit: 500_000n, preVerificationGas: 60_000n }
/** Returns 0 to every call: PUSH0, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN. */
const ACCEPTS_ALL = '5f5f5260205ff3'
/** TIMESTAMP and POP before it: ERC-7562 bans the opcode during validation. */
const READS_TIME = `4250${ACCEPTS_ALL}`

let node: RunningNode
let client: DevClient
const children = new Set<ChildProcess>()

interface RunningBundler {
  readonly client: BundlerClient
  readonly output: () => string
}

async function startBundler(program: string, args: readonly string[], url: string): Promise<RunningBundler> {
  const file = path.join(SUPPLIED_FOLDER as string, 'node_modules', program)
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const bundler = createBundlerClient({ client, transport: http(url, { retryCount: 0 }), pollingInterval: 50 })
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`the bundler ended: ${printed}`)
    await bundler.getSupportedEntryPoints()
  })
  return { client: bundler, output: () => printed }
}

const keyOf = (index: number): Hex => bytesToHex(devKey(index))
const devKey = (index: number): Uint8Array =>
  (devAccount(index) as unknown as { getHdKey(): { privateKey: Uint8Array } }).getHdKey().privateKey

async function startAlto(
  program: string,
  isSafe: boolean,
  versions: readonly TestedVersion[],
): Promise<RunningBundler> {
  const port = await freePort()
  const options = {
    entrypoints: versions.map((version) => ENTRY_POINT_ADDRESSES[version]).join(','),
    'rpc-url': node.url,
    port: String(port),
    'executor-private-keys': keyOf(8),
    'utility-private-key': keyOf(9),
    'safe-mode': String(isSafe),
  }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  return startBundler(`${program}/esm/cli/alto.js`, args, `http://127.0.0.1:${port}`)
}

async function deploy(version: TestedVersion, contract: string, args: readonly unknown[]): Promise<Address> {
  const { abi, bytecode } = accountAbstractionArtifact(version, contract)
  const hash = await client.deployContract({ abi: abi as [], bytecode, args: args as [], account: devAccount(0) })
  return (await client.waitForTransactionReceipt({ hash })).contractAddress as Address
}

/** A new account with ether whose owner is one of the funded accounts. */
async function newAccount(version: TestedVersion, owner: number): Promise<SmartAccount> {
  const factory = await deploy(version, 'SimpleAccountFactory', [ENTRY_POINT_ADDRESSES[version]])
  const account = await simpleAccount({ client, version, owner: devAccount(owner) }, factory)
  await fund(account.address)
  return account
}

async function fund(to: Address): Promise<void> {
  await client.waitForTransactionReceipt({ hash: await client.sendTransaction({ to, value: parseEther('5') }) })
}

/** Sends an operation that moves 7 wei, and waits until it has been mined. */
async function move({ client: bundler }: RunningBundler, account: SmartAccount, more: object = {}): Promise<void> {
  const before = await client.getBalance({ address: TARGET })
  const calls = [{ to: TARGET as Address, value: 7n }]
  const hash = await bundler.sendUserOperation({ account, calls, ...FEES, ...more })
  const { success, sender, receipt } = await bundler.waitForUserOperationReceipt({ hash, timeout: 30_000 })
  expect([success, sender, receipt.status]).toEqual([true, account.address, 'success'])
  expect(await client.getBalance({ address: TARGET })).toBe(before + 7n)
}

const DEPOSIT = parseAbi(['function depositTo(address account) payable'])

/** An account with this code, which has paid in advance. */
async function accountWith(code: string, version: TestedVersion, address: Address): Promise<SmartAccount> {
  await client.setCode({ address, bytecode: `0x${code}` })
  const to = { address: ENTRY_POINT_ADDRESSES[version], abi: DEPOSIT, functionName: 'depositTo' } as const
  await client.waitForTransactionReceipt({
    hash: await client.writeContract({ ...to, args: [address], value: parseEther('1') }),
  })
  return carelessAccount({ client, version }, address)
}

async function acceptsUnlessItReadsTheTime(
  bundler: RunningBundler,
  version: TestedVersion,
  more: object = {},
): Promise<void> {
  const last = version.slice(2)
  const send = async (code: string, address: Address): Promise<Hex> => {
    const account = await accountWith(code, version, address)
    return bundler.client.sendUserOperation({ account, callData: '0x', ...FEES, ...more })
  }
  const hash = await send(ACCEPTS_ALL, `0x${'0a'.repeat(19)}0${last}`)
  expect((await bundler.client.waitForUserOperationReceipt({ hash, timeout: 30_000 })).success).toBe(true)
  await expect(send(READS_TIME, `0x${'0b'.repeat(19)}0${last}`)).rejects.toThrow(
    /account uses banned opcode: TIMESTAMP/,
  )
}

describe('bundlers', needsTool('a bundler of ERC-4337', SUPPLIED_FOLDER), () => {
  beforeAll(async () => {
    // The folder has the packages with the EntryPoints under their names.
    const options = { cwd: SUPPLIED_FOLDER as string }
    node = await startNode(['--ephemeral', `--predeploys=multicall3,${ENTRY_POINTS.join(',')}`], options)
    client = connect('http', { http: node.url, ws: '' }, 0)
  }, 60_000)

  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await node.stop()
  })

  describe('alto in safe mode, which traces the validation in JavaScript', () => {
    let bundler: RunningBundler
    beforeAll(async () => {
      bundler = await startAlto('alto-0.0.18', true, ['0.7', '0.8'])
    }, 60_000)

    it.each(['0.7', '0.8'] as const)('creates an account and moves ether, with EntryPoint %s', async (version) => {
      const account = await newAccount(version, 1)
      await move(bundler, account)
      await move(bundler, account)
    })

    it.each(['0.7', '0.8'] as const)('refuses an account that reads the time, with EntryPoint %s', async (version) => {
      await acceptsUnlessItReadsTheTime(bundler, version)
    })
  })

  describe('alto 0.0.20 without safe mode', () => {
    let bundler: RunningBundler
    beforeAll(async () => {
      bundler = await startAlto('alto', false, ['0.6', '0.7', '0.8'])
    }, 60_000)

    it.each(['0.6', '0.7', '0.8'] as const)(
      'creates an account and moves ether, with EntryPoint %s',
      async (version) => {
        await move(bundler, await newAccount(version, 2))
      },
    )

    it('moves ether from an account that delegates its code (EIP-7702)', async () => {
      const implementation = await deploy('0.8', 'Simple7702Account', [])
      const owner = devAccount(3)
      const account = await toSimple7702SmartAccount({ client, owner, implementation })
      const authorization = await client.signAuthorization({ account: owner, contractAddress: implementation })
      await move(bundler, account, { authorization })
      expect(await client.getCode({ address: owner.address })).toBe(`0xef0100${implementation.slice(2).toLowerCase()}`)
    })
  })

  describe("MetaMask's bundler in safe mode", () => {
    let bundler: RunningBundler
    beforeAll(async () => {
      const folder = temporaryDirectory()
      const [mnemonic, config] = [path.join(folder, 'mnemonic.txt'), path.join(folder, 'config.json')]
      writeFileSync(mnemonic, DEV_MNEMONIC)
      const port = String(await freePort())
      writeFileSync(
        config,
        JSON.stringify({
          network: node.url,
          entryPoint: ENTRY_POINT_ADDRESSES['0.6'],
          beneficiary: devAccount(0).address,
          minBalance: '0',
          mnemonic,
          port,
          maxBundleGas: 5_000_000,
          autoBundleInterval: 0,
          autoBundleMempoolSize: 0,
        }),
      )
      const program = '@metamask/test-bundler/dist/bundler/exec.js'
      bundler = await startBundler(program, ['--config', config, '--auto'], `http://127.0.0.1:${port}/rpc`)
    }, 60_000)

    it('creates an account and moves ether, with EntryPoint 0.6', async () => {
      await move(bundler, await newAccount('0.6', 4), GAS)
    })

    it('refuses an account that reads the time', async () => {
      await acceptsUnlessItReadsTheTime(bundler, '0.6', GAS)
    })
  })
})
