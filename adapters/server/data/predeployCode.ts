/**
 * The code of predeployed contracts that is not part of this package, from installed packages and from files. Files are
 * only read: nothing of a package runs.
 * @module
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { MAX_ARTIFACT_FILE_BYTES } from '../../../src/base/limits/limits.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import type { SuppliedContract } from '../../../src/config/predeploys/suppliedContracts.ts'
import { splitPredeploy, suppliedCode, suppliedContracts } from '../../../src/config/predeploys.ts'

const HEX = /^(?:0x)?(?:[0-9a-f]{2})+$/i
const HERE = path.dirname(fileURLToPath(import.meta.url))

/**
 * Replaces names and files in `--predeploys` by the code.
 * @param folder from which packages are looked for, upwards; then from that of this program
 * @throws {NodeError} INVALID_OPTION when a file cannot be read or has no code, MISSING_PACKAGE
 */
export function withPredeployCode<T extends Pick<NodeOptions, 'predeploys'>>(
  options: T,
  folder: string = process.cwd(),
): T {
  const { predeploys } = options
  if (predeploys === undefined) return options
  return { ...options, predeploys: predeploys.map((item) => withCode(item, folder)) }
}

function withCode(item: string, folder: string): string {
  const { name, source } = splitPredeploy(item)
  if (suppliedContracts(name).length === 0 || source?.startsWith('0x') === true) return item
  return `${name}=${source === undefined ? installedCode(name, folder) : fileCode(name, path.resolve(folder, source))}`
}

function fileCode(name: string, file: string): string {
  const invalid = (reason: string, cause?: unknown): NodeError =>
    new NodeError({ code: 'INVALID_OPTION' }, `--predeploys: ${name}=${file}: ${reason}`, { cause })
  let text: string
  try {
    if (statSync(file).size > MAX_ARTIFACT_FILE_BYTES) throw invalid(`larger than ${MAX_ARTIFACT_FILE_BYTES} bytes`)
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    if (cause instanceof NodeError) throw cause
    const { code, message } = cause as NodeJS.ErrnoException
    throw invalid(code === 'ENOENT' ? 'No such file or directory' : message, cause)
  }
  const code = codeIn(text)
  if (code === undefined) throw invalid("expected the code in hex, or an artifact with it as 'bytecode'")
  if (suppliedCode(name, hexToBytes(code)) !== undefined) return code
  throw invalid(`this is not the code of ${name}, or of another version of it`)
}

/** @param text an artifact of Hardhat, Foundry or solc, or code in hex; @returns undefined when it has no code */
function codeIn(text: string): string | undefined {
  const trimmed = text.trim()
  const code = trimmed.startsWith('{') ? bytecodeOf(trimmed) : trimmed
  if (typeof code !== 'string' || !HEX.test(code)) return undefined
  return code.startsWith('0x') ? code : `0x${code}`
}

interface Artifact {
  readonly bytecode?: unknown
  readonly evm?: Artifact
}

function bytecodeOf(json: string): unknown {
  try {
    const artifact = JSON.parse(json) as Artifact
    const bytecode = artifact.bytecode ?? artifact.evm?.bytecode
    return typeof bytecode === 'object' ? (bytecode as { object?: unknown } | null)?.object : bytecode
  } catch {
    return undefined
  }
}

/** @throws {NodeError} MISSING_PACKAGE */
function installedCode(name: string, folder: string): string {
  const wanted = suppliedContracts(name)
  const files = [...new Set(wanted.flatMap((each) => artifactsOf(each, folder)))]
  for (const file of files) {
    const code = codeIn(readFileSync(file, 'utf8'))
    if (code !== undefined && suppliedCode(name, hexToBytes(code)) !== undefined) return code
  }
  throw notInstalled(name, wanted, files)
}

/** Installed artifacts, nearest first. A package may be installed under the name of the contract, beside others. */
function artifactsOf({ name, package: origin }: SuppliedContract, folder: string): string[] {
  if (origin === undefined) return []
  const parts = [name, origin.name].map((directory) => path.join('node_modules', directory, origin.file))
  return [...parents(folder), ...parents(HERE)]
    .flatMap((parent) => parts.map((part) => path.join(parent, part)))
    .filter((file) => existsSync(file))
}

function parents(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...parents(parent)]
}

function notInstalled(name: string, wanted: readonly SuppliedContract[], [found]: readonly string[]): NodeError {
  const origin = wanted.at(-1)?.package
  if (origin === undefined) {
    const advice = `${name}=FILE names an artifact, or a file with the creation code or the deployed code in hex`
    return new NodeError({ code: 'INVALID_OPTION' }, `--predeploys: this package has no code of ${name}; ${advice}`)
  }
  const reason = found === undefined ? 'needs a package that is not installed' : `is not the contract in ${found}`
  const folder = found === undefined ? '' : `${wanted.at(-1)?.name}@npm:`
  const command = `npm install ${folder}${origin.name}@${origin.version}`
  return new NodeError({ code: 'MISSING_PACKAGE', package: origin.name }, `--predeploys: ${name} ${reason}: ${command}`)
}
