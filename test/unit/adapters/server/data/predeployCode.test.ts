/** Where the code of predeployed contracts comes from. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { withPredeployCode } from '../../../../../adapters/server/data/predeployCode.ts'
import {
  accountAbstractionArtifact,
  createXCode,
  ENTRY_POINTS,
  SUPPLIED_FOLDER,
} from '../../../../support/evm/suppliedContracts.ts'
import { newPath } from '../../../../support/host/commandChecks.ts'
import { needsTool } from '../../../../support/host/needs.ts'

const read = (predeploys: readonly string[], folder?: string) => withPredeployCode({ predeploys }, folder).predeploys

/** A project with a package whose EntryPoint has this code. */
function project(name: string, bytecode: unknown): string {
  const folder = newPath()
  const artifacts = path.join(folder, 'node_modules', name, 'artifacts')
  mkdirSync(artifacts, { recursive: true })
  writeFileSync(path.join(artifacts, 'EntryPoint.json'), JSON.stringify({ bytecode }))
  return folder
}

function fileWith(text: string): string {
  const folder = newPath()
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'code.json'), text)
  return path.join(folder, 'code.json')
}

describe('the code of predeployed contracts', () => {
  it('is looked for only for contracts that the package lacks', () => {
    expect(read(['create2', 'weth', 'createx=0x60'])).toEqual(['create2', 'weth', 'createx=0x60'])
    expect(withPredeployCode({ predeploys: undefined })).toEqual({ predeploys: undefined })
  })

  it('needs a package, which the error names', () => {
    const folder = newPath()
    expect(() => read(['entrypoint-0.7'], folder)).toThrow(
      '--predeploys: entrypoint-0.7 needs a package that is not installed: npm install @account-abstraction/contracts@0.7.0',
    )
    expect(() => read(['entrypoint'], folder)).toThrow('npm install @account-abstraction/contracts@0.8.0')
    expect(() => read(['createx'], folder)).toThrow(
      '--predeploys: this package has no code of createx; createx=FILE names an artifact, or a file with',
    )
  })

  it('is refused when the package has another version', () => {
    const folder = project('@account-abstraction/contracts', '0x6001')
    expect(() => read(['entrypoint-0.7'], folder)).toThrow(
      `entrypoint-0.7 is not the contract in ${folder}/node_modules/@account-abstraction/contracts/artifacts/EntryPoint.json: npm install entrypoint-0.7@npm:@account-abstraction/contracts@0.7.0`,
    )
  })

  it.each([
    ['{"bytecode":"0x6001"}', 'this is not the code of createx'],
    ['6001', 'this is not the code of createx'],
    ['{"abi":[]}', 'expected the code in hex'],
    ['{', 'expected the code in hex'],
    ['{"bytecode":null}', 'expected the code in hex'],
    ['{"bytecode":"0x60__$library$__"}', 'expected the code in hex'],
    ['', 'expected the code in hex'],
  ])('is refused in a file with %s', (text, message) => {
    const file = fileWith(text)
    expect(() => read([`createx=${file}`])).toThrow(`--predeploys: createx=${file}: ${message}`)
  })

  it('is refused when its file is absent', () => {
    expect(() => read(['createx=absent.json'])).toThrow(/createx=\/.*absent\.json: No such file or directory$/)
    expect(() => read([`createx=${newPath()}`])).toThrow('No such file or directory')
  })
})

describe('installed code', needsTool('@account-abstraction/contracts', SUPPLIED_FOLDER), () => {
  it('is found under the name of the contract', () => {
    const items = read(ENTRY_POINTS, path.join(SUPPLIED_FOLDER as string, 'node_modules', 'alto')) as string[]
    expect(items.map((item) => item.slice(0, 17))).toEqual(ENTRY_POINTS.map((name) => `${name}=0x`))
  })

  it('is found in the package, whose version entrypoint stands for', () => {
    const { bytecode } = accountAbstractionArtifact('0.8', 'EntryPoint')
    const folder = project('@account-abstraction/contracts', bytecode)
    expect(read(['entrypoint', 'entrypoint-0.8'], folder)).toEqual([
      `entrypoint=${bytecode}`,
      `entrypoint-0.8=${bytecode}`,
    ])
  })

  it('is read from the artifacts of Hardhat, Foundry and solc, and from hex', () => {
    const code = createXCode()
    const texts = [
      JSON.stringify({ bytecode: code }),
      JSON.stringify({ bytecode: { object: code } }),
      JSON.stringify({ evm: { bytecode: { object: code.slice(2) } } }),
      `${code}\n`,
    ]
    for (const text of texts) expect(read([`createx=${fileWith(text)}`])).toEqual([`createx=${code}`])
  })
})
