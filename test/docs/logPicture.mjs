/**
 * Draws docs/images/log.svg: what the built node prints, with its colours, while a contract is deployed and called.
 *
 *   node test/docs/logPicture.mjs [--check]
 *
 * `--check` compares instead of writing. Times, durations and hashes of blocks may differ.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PICTURE = path.join(ROOT, 'docs/images/log.svg')
const LIMIT_MS = 30_000
const ESCAPE = String.fromCharCode(27)
const SEQUENCE = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`, 'g')
const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

const PATH = 'src/Bank.sol'
const SOURCE = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Piggybank {
    error TooEarly(uint256 unlockTime);
    uint256 constant UNLOCK_TIME = 2_000_000_000;

    function deposit() external payable {
        log("%d wei in the bank", address(this).balance);
    }

    function withdraw(address payable to) external {
        if (block.timestamp < UNLOCK_TIME) revert TooEarly(UNLOCK_TIME);
        to.transfer(address(this).balance);
    }

    function log(string memory text, uint256 value) private view {
        address console = 0x000000000000000000636F6e736F6c652e6c6f67;
        console.staticcall(abi.encodeWithSignature("log(string,uint256)", text, value));
    }
}

contract Heir {
    function inherit(Piggybank bank) external {
        bank.withdraw(payable(msg.sender));
    }
}
`

const picture = svg(await printedLines())
const isUpToDate = existsSync(PICTURE) && masked(readFileSync(PICTURE, 'utf8')) === masked(picture)
if (!isUpToDate && process.argv.includes('--check')) {
  console.error('docs/images/log.svg is out of date: npm run docs')
  process.exit(1)
}
if (!isUpToDate) {
  mkdirSync(path.dirname(PICTURE), { recursive: true })
  writeFileSync(PICTURE, picture)
}

/** @returns the log of the calls, without the banner */
async function printedLines() {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-picture-'))
  const contracts = compile(folder)
  const flags = ['--ephemeral', '--port=0', `--abi=${folder}`, '--timestamp=1700000000', '--color-enabled=true']
  const node = spawn(process.execPath, [path.join(ROOT, 'dist/server.js'), ...flags], { cwd: folder })
  let printed = ''
  for (const stream of [node.stdout, node.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text
    })
  const waitFor = async (pattern) => {
    for (const limit = performance.now() + LIMIT_MS; performance.now() < limit; await delay(20)) {
      const match = plain(printed).match(pattern)
      if (match !== null) return match
    }
    throw new Error(`the node did not print ${pattern}:\n${printed}`)
  }
  try {
    const [url] = await waitFor(/http:\/\/127\.0\.0\.1:\d+/)
    await waitFor(/path +m\/44/)
    const begin = printed.length
    const rpc = (method, ...params) => call(url, method, params)
    const send = async (transaction) => rpc('eth_sendTransaction', { from: OWNER, gas: '0x100000', ...transaction })
    const deploy = async (name) =>
      (await rpc('eth_getTransactionReceipt', await send({ data: contracts[name].bytecode.object }))).contractAddress
    const bank = await deploy('Piggybank')
    const heir = await deploy('Heir')
    await waitFor(/Heir[\s\S]*block +2/)
    await send({ to: bank, data: '0xd0e30db0', value: '0xde0b6b3a7640000' })
    await waitFor(/block +3/)
    const inherit = `0x${contracts.Heir.methods['inherit(address)']}${bank.slice(2).padStart(64, '0')}`
    await send({ to: heir, data: inherit })
    await waitFor(/at Heir\.inherit.*\n/)
    return transactions(printed.slice(begin)).slice(2).flat()
  } finally {
    node.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The lines of each transaction; those of requests, whose order varies, are left out. */
function transactions(log) {
  const entries = []
  for (const line of log.split('\n')) {
    const text = plain(line)
    if (/^\d{4}-.* transaction +0x/.test(text)) entries.push([line])
    else if (text.startsWith(' ')) entries.at(-1)?.push(line)
  }
  return entries
}

/** Writes the artifacts as Foundry does. @returns them by contract */
function compile(folder) {
  const solc = createRequire(import.meta.url)('solc')
  const settings = {
    outputSelection: {
      '*': { '*': ['abi', 'metadata', 'evm.bytecode', 'evm.deployedBytecode', 'evm.methodIdentifiers'] },
    },
  }
  const input = { language: 'Solidity', sources: { [PATH]: { content: SOURCE } }, settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const artifacts = {}
  for (const [name, { abi, metadata, evm }] of Object.entries(output.contracts[PATH])) {
    const { bytecode, deployedBytecode, methodIdentifiers } = evm
    const prefixed = (code) => ({ ...code, object: `0x${code.object}` })
    artifacts[name] = {
      abi,
      bytecode: prefixed(bytecode),
      deployedBytecode: prefixed(deployedBytecode),
      methods: methodIdentifiers,
      metadata: JSON.parse(metadata),
      id: output.sources[PATH].id,
    }
    write(folder, `Bank.sol/${name}.json`, JSON.stringify(artifacts[name]))
  }
  write(folder, 'build-info/bank.json', JSON.stringify({ source_id_to_path: { [output.sources[PATH].id]: PATH } }))
  write(folder, PATH, SOURCE)
  return artifacts
}

function write(folder, file, text) {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  writeFileSync(path.join(folder, file), text)
}

async function call(url, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await (
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  ).json()
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}

function plain(text) {
  return text.replaceAll(SEQUENCE, '')
}

/** Colours of the escape sequences that the node writes. */
function styleOf(codes) {
  const colours = {
    30: '#6e7681',
    31: '#ff7b72',
    32: '#7ee787',
    33: '#f2cc60',
    34: '#79c0ff',
    35: '#d2a8ff',
    36: '#76e3ea',
    90: '#8b949e',
  }
  let style = ''
  for (const code of codes) {
    if (code === 0) style = ''
    else if (code === 1) style += ' font-weight="bold"'
    else if (code === 2) style += ' fill-opacity="0.6"'
    else if (colours[code] !== undefined) style += ` fill="${colours[code]}"`
  }
  return style
}

function svg(lines) {
  const [lineHeight, charWidth, margin] = [19, 7.85, 16]
  const width = Math.ceil(Math.max(...lines.map((line) => plain(line).length)) * charWidth + 2 * margin)
  const height = lines.length * lineHeight + 2 * margin
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Log of the dev chain">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="#e6edf3" xml:space="preserve">',
    ...lines.map((line, index) => `<text x="${margin}" y="${margin + 14 + index * lineHeight}">${spans(line)}</text>`),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

function spans(line) {
  let style = ''
  return line
    .split(SEQUENCE)
    .map((part) => {
      if (!part.startsWith(ESCAPE)) return part === '' ? '' : `<tspan${style}>${escaped(part)}</tspan>`
      const codes = part.slice(2, -1).split(';').map(Number)
      style = codes.some((code) => code === 0 || code === 22 || code === 39) ? styleOf(codes) : style + styleOf(codes)
      return ''
    })
    .join('')
}

function escaped(text) {
  // Programs that draw SVG join spaces.
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00a0')
}

function masked(text) {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[\d.,]+ ms/g, 'N ms')
    .replaceAll(/0x[0-9a-f]{64}/g, 'HASH')
}
