/**
 * Data of someone who wants the page to run code, to hang or to mislead: names, tokens, reasons and sources of contracts, and answers
 * of a node that lie. ISONODE_LONG_COUNT is the number of views with lying answers; ISONODE_FUZZ_SEED is the first seed.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { Browser, Page } from 'playwright-core'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { damaged } from '../support/debug/hostileFiles.ts'
import { compileProject } from '../support/evm/solidity.ts'
import { Random } from '../support/host/random.ts'
import { hardhat2Files, SENDER } from '../support/nodes/failures.ts'
import { type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { launch, needsChromium, openTab, openView } from './support/chromium.ts'
import { type ExampleChain, startExampleChain } from './support/exampleChain.ts'
import { EXAMPLES } from './support/examples.ts'

const COUNT = Number(process.env['ISONODE_LONG_COUNT'] ?? 8)
const FIRST_SEED = Number(process.env['ISONODE_FUZZ_SEED'] ?? 1)
const MARKUP = `<img src=x onerror=globalThis.injected=1><script>globalThis.injected=1</script><svg onload=globalThis.injected=1>`
const DECEIVING = '\u202e\u0000\u200bgnp.exe'
const SOURCE = `// SPDX-License-Identifier: Apache-2.0
// ${MARKUP}
pragma solidity ^0.8.20;
contract Evil {
  error Refused(string reason);
  event Transfer(address indexed from, address indexed to, uint256 value);
  string text = unicode"${MARKUP}";
  uint8 public constant decimals = 255;
  function name() external pure returns (string memory) { return unicode"${MARKUP}"; }
  function symbol() external view returns (string memory) { return string.concat(text, unicode"\\u202e\\u200b"); }
  function totalSupply() external pure returns (uint256) { return type(uint256).max; }
  function balanceOf(address) external pure returns (uint256) { return type(uint256).max; }
  function transfer(address to, uint256 value) external returns (bool) { emit Transfer(msg.sender, to, value); return true; }
  function refuse(string calldata reason) external {
    bytes memory log = abi.encodeWithSignature("log(string)", reason);
    address console = 0x000000000000000000636F6e736F6c652e6c6f67;
    assembly { pop(staticcall(gas(), console, add(log, 32), mload(log), 0, 0)) }
    text = reason;
    revert Refused(reason);
  }
  function long() external pure { revert(string(new bytes(200000))); }
}
contract Endless {
  event Transfer(address indexed from, address indexed to, uint256 value);
  function name() external pure returns (string memory) { while (true) {} }
  function symbol() external pure returns (string memory) { while (true) {} }
  function transfer(address to, uint256 value) external { emit Transfer(msg.sender, to, value); }
}`

interface HostileChain {
  readonly node: RunningNode
  /** Routes that show the hostile data. */
  readonly routes: readonly string[]
}

/** A chain with contracts whose artifacts, tokens and failures contain markup. */
async function startHostileChain(): Promise<HostileChain> {
  const project = compileProject({ 'contracts/Evil.sol': SOURCE }, { evmVersion: 'cancun' }, ['storageLayout'])
  const artifacts = temporaryDirectory()
  for (const [file, text] of hardhat2Files(project)) {
    mkdirSync(path.dirname(path.join(artifacts, file)), { recursive: true })
    writeFileSync(path.join(artifacts, file), isArtifact(file) ? renamed(text) : text)
  }
  const node = await startNode(['--ephemeral', `--abi=${artifacts}`])
  const routes: string[] = [
    '/',
    '/contracts',
    `/address/${SENDER}?tab=tokens`,
    `/search?q=${encodeURIComponent(MARKUP)}`,
  ]
  const send = (request: object): Promise<Hex> =>
    node.rpc<Hex>('eth_sendTransaction', [{ from: SENDER, gas: '0x400000', ...request }])
  for (const [name, contract] of Object.entries(project.output.contracts['contracts/Evil.sol'] ?? {})) {
    const creation = await send({ data: `0x${contract.evm.bytecode.object}` })
    const { contractAddress: to } = await node.rpc<{ contractAddress: Hex }>('eth_getTransactionReceipt', [creation])
    const call = (functionName: string, ...args: unknown[]): Promise<Hex> =>
      send({ to, data: encodeFunctionData({ abi: contract.abi, functionName, args }) })
    routes.push(`/tx/${await call('transfer', SENDER, 2n ** 255n)}?tab=logs`, `/token/${to}`)
    if (name === 'Endless') continue
    const [refused, long] = [await call('refuse', MARKUP + DECEIVING), await call('long')]
    for (const tab of ['', '?tab=calls', '?tab=state', '?tab=gas', '?tab=console', '?tab=raw'])
      routes.push(`/tx/${refused}${tab}`)
    routes.push(`/debug/${refused}`, `/tx/${long}`, `/debug/${long}`)
    for (const tab of ['', '?tab=contract', '?tab=storage', '?tab=events']) routes.push(`/address/${to}${tab}`)
  }
  return { node, routes }
}

const isArtifact = (file: string): boolean => file.startsWith('contracts/') && !file.endsWith('.dbg.json')

/** Markup in the names of the contract, its file and its parameters. */
function renamed(text: string): string {
  const json = JSON.parse(text) as { contractName: string; abi: { inputs?: { name: string }[] }[] }
  json.contractName = `${MARKUP}${json.contractName}`
  for (const { inputs = [] } of json.abi) for (const input of inputs) input.name = `${DECEIVING}${MARKUP}`
  return JSON.stringify(json)
}

/** @returns what the data made: elements and effects that only markup has */
function injections(page: Page): Promise<string[]> {
  return page.evaluate(() => [
    ...Array.from(document.querySelectorAll('body script, img[onerror], svg[onload], [href^="javascript:" i]'), String),
    ...('injected' in globalThis ? ['ran code'] : []),
  ])
}

describe('hostile data', needsChromium, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
  })

  it('of contracts are shown as text', { timeout: 240_000 }, async () => {
    const { node, routes } = await startHostileChain()
    const { page, faults, close } = await openTab(browser, node.url)
    let shown = 0
    for (const route of routes) {
      await openView(page, node.url, route)
      expect([route, ...(await injections(page)), ...faults]).toEqual([route])
      if ((await page.locator('main').innerText()).includes('<img src=x')) shown++
    }
    expect(shown).toBeGreaterThan(5)
    await close()
    await node.stop()
  })

  describe('in answers', () => {
    let chain: ExampleChain
    beforeAll(async () => {
      chain = await startExampleChain()
    })
    afterAll(async () => {
      await chain?.node.stop()
    })

    it('run no code, and leave a page that still works', { timeout: 30_000 + COUNT * 20_000 }, async () => {
      const routes = Object.values(EXAMPLES).flatMap((examples) => examples.map(({ route }) => route(chain)))
      const problems: string[] = []
      let answers = 0
      for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed++) {
        const random = new Random(seed)
        const route = random.pick(routes)
        const seen = await shownWithLies(browser, chain.url, route, random)
        answers += seen.answers
        if (seen.faults.length > 0) problems.push(`seed ${seed}, ${route}: ${seen.faults.join('; ')}`)
      }
      console.info(`${COUNT} views of ${answers} answers`)
      expect(problems).toEqual([])
    })
  })
})

/** The browser's words for a request that the node refuses, because a lie is in its parameters. */
const REFUSED = 'the server responded with a status of 400 (Bad Request)'

/** Opens a view whose node lies, and another one after it has stopped to lie. */
async function shownWithLies(
  browser: Browser,
  url: string,
  route: string,
  random: Random,
): Promise<{ readonly answers: number; readonly faults: readonly string[] }> {
  const { page, faults, close } = await openTab(browser, url)
  let answers = 0
  await page.routeWebSocket(/.*/, (socket) => socket.close())
  await page.route('**', async (request) => {
    if (request.request().method() !== 'POST') return request.continue()
    const response = await request.fetch()
    answers++
    await request.fulfill({ response, body: lying(await response.text(), random) })
  })
  await page.goto(`${url}/#${route}`)
  await page.waitForLoadState('networkidle')
  const found = [...(await injections(page)), ...faults.filter((fault) => !fault.endsWith(REFUSED))]
  await page.unroute('**')
  await openView(page, url, '/block/2')
  await page.getByText('Parent').first().waitFor()
  await close()
  return { answers, faults: found }
}

/** Damages the results of one or more answers. */
function lying(text: string, random: Random): string {
  const answers: unknown = JSON.parse(text)
  const lie = (answer: unknown): unknown => {
    if (typeof answer !== 'object' || answer === null || !('result' in answer) || random.chance(30)) return answer
    return { ...answer, ...(damaged({ result: answer.result }, random) as object) }
  }
  return JSON.stringify(Array.isArray(answers) ? answers.map(lie) : lie(answers))
}
