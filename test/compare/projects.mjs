/** Projects of Hardhat 2 and 3, which are compiled once and run with each tool as their network. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { HARDHAT_2, HARDHAT_3, NODE_22, temporary } from './tools.mjs'

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures')
const LIMIT_MS = 100_000
/** For commands that call no node. */
const NO_NODE = 1

const PROJECTS = {
  /** The sample project of Hardhat 2 with its test `Lock`. */
  lock: {
    program: [process.execPath, 'node_modules/hardhat/internal/cli/cli.js'],
    packages: HARDHAT_2,
    build: 'compile',
    prepare(folder) {
      cpSync(path.join(HARDHAT_2, 'hardhat/sample-projects/javascript'), folder, { recursive: true })
      rmSync(path.join(folder, 'hardhat.config.js'))
      cpSync(path.join(FIXTURES, 'hardhat/hardhat.config.cjs'), path.join(folder, 'hardhat.config.cjs'))
      // The toolbox only passes these helpers on, beside many packages that the sample does not use.
      const test = path.join(folder, 'test/Lock.js')
      const text = readFileSync(test, 'utf8')
      writeFileSync(test, text.replace('hardhat-toolbox/network-helpers', 'hardhat-network-helpers'))
      cpSync(path.join(import.meta.dirname, 'Probe.sol'), path.join(folder, 'contracts/Probe.sol'))
      writeFileSync(path.join(folder, 'package.json'), '{}')
    },
  },
  /** The project of this repository for Hardhat 3. */
  token: {
    program: [NODE_22, 'node_modules/hardhat/dist/src/cli.js'],
    packages: HARDHAT_3,
    build: 'build',
    prepare(folder) {
      cpSync(path.join(FIXTURES, 'hardhat3'), folder, { recursive: true })
      cpSync(path.join(FIXTURES, 'contracts'), path.join(folder, 'contracts'), { recursive: true })
      cpSync(path.join(import.meta.dirname, 'Probe.sol'), path.join(folder, 'contracts/Probe.sol'))
      writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
    },
  },
}

const compiled = new Map()

/** @param name lock or token @returns its folder; undefined if its Hardhat is not installed */
export function compiledProject(name) {
  if (!existsSync(PROJECTS[name].packages)) return undefined
  if (!compiled.has(name)) compiled.set(name, compile(name))
  return compiled.get(name)
}

async function compile(name) {
  const folder = mkdtempSync(path.join(temporary, `${name}-`))
  const { packages, build, prepare } = PROJECTS[name]
  prepare(folder)
  symlinkSync(packages, path.join(folder, 'node_modules'))
  const { error, printed } = await run(name, folder, NO_NODE, [build])
  if (error !== null) throw new Error(printed)
  return folder
}

/** @returns what the command of Hardhat prints in time, and its error, if it fails */
export async function hardhat(name, port, ...args) {
  const folder = await compiledProject(name)
  if (folder === undefined) throw new Error(`the Hardhat of the project ${name} is not installed`)
  return run(name, folder, port, args)
}

function run(name, cwd, port, args) {
  const [program, cli] = PROJECTS[name].program
  const env = {
    ...process.env,
    CI: 'true',
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: 'true',
    RPC_URL: `http://127.0.0.1:${port}`,
  }
  return new Promise((resolve) => {
    execFile(program, [cli, ...args], { cwd, env, timeout: LIMIT_MS }, (error, stdout, stderr) =>
      resolve({ error, printed: stdout + stderr }),
    )
  })
}
