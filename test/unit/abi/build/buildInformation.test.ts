/** Build information as the only source of contracts. */
import { describe, expect, it } from 'vitest'
import { AbiLibrary } from '../../../../src/abi/abiLibrary.ts'
import { ContractNames } from '../../../../src/abi/contractNames.ts'
import { SourceLibrary } from '../../../../src/abi/source/sourceLibrary.ts'
import { MAX_BUILD_FILE_BYTES } from '../../../../src/base/limits/limits.ts'
import type { ArtifactFolder } from '../../../../src/base/ports/artifactFolder.ts'
import { hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { folderOf } from '../../../support/nodes/activity.ts'
import { compileFailures, hardhat2Files, hardhat3Files } from '../../../support/nodes/failures.ts'

const project = compileFailures()
const SOURCE = 'contracts/Failures.sol'
const METADATA_BYTES = 53

function onlyBuilds(files: ReadonlyMap<string, string>, rename = (path: string): string => path): Map<string, string> {
  const builds = [...files].filter(([path]) => path.startsWith('build-info/'))
  return new Map(builds.map(([path, text]) => [rename(path), text]))
}

function libraryOf(...folders: readonly ArtifactFolder[]): AbiLibrary {
  return new AbiLibrary({ folders, clock: { monotonic: () => 0 }, yieldToHost: async () => {} })
}

const whole = onlyBuilds(hardhat2Files(project))
const FORMS: readonly (readonly [string, Map<string, string>])[] = [
  ['whole', whole],
  ['split', onlyBuilds(hardhat3Files(project))],
  ['in a folder with another name', onlyBuilds(hardhat2Files(project), () => 'out.json')],
  ['the output of the compiler alone', new Map([['out.json', JSON.stringify(project.output)]])],
]

describe('build information', () => {
  it.each(FORMS)('has the contracts of a project: %s', async (_, files) => {
    const library = libraryOf(folderOf(files))
    expect(await library.refresh()).toEqual([])
    const expected = Object.values(project.output.contracts).flatMap((ofFile) => Object.keys(ofFile))
    const withoutAbi = library.index.artifacts.map(({ name }) => name)
    expect(withoutAbi.sort()).toEqual(expected.sort())
    for (const [name, { evm }] of Object.entries(project.output.contracts[SOURCE] ?? {})) {
      const code = evm.deployedBytecode.object
      if (code === '' || code.includes('__')) continue
      // Contracts with the same code are one.
      const found = library.index.contract(hexToBytes(`0x${code}`))?.name ?? ''
      const same = project.output.contracts[SOURCE]?.[found]?.evm.deployedBytecode.object ?? ''
      expect(same.slice(0, -2 * METADATA_BYTES), name).toBe(code.slice(0, -2 * METADATA_BYTES))
    }
  })

  it.each(FORMS.slice(0, 3))('leads to sources, maps, layouts and syntax trees: %s', async (_, files) => {
    const library = libraryOf(folderOf(files))
    await library.refresh()
    const sources = new SourceLibrary(library)
    const [artifact] = library.index.artifacts.filter(({ name }) => name === 'Failures')
    if (artifact === undefined) throw new Error('Failures is not known')
    expect(await sources.load([artifact])).toEqual([])
    const found = sources.sourcesOf(artifact)
    if (found === undefined || found === 'unread') throw new Error('it has no sources')
    const { evm } = project.output.contracts[SOURCE]?.['Failures'] ?? {}
    expect(found.output.runtime).toBe(evm?.deployedBytecode.sourceMap)
    const texts = [...found.files.values()].map(({ path, text }) => [path, text])
    const inputs = Object.entries(project.input.sources).map(([path, { content }]) => [path, content])
    expect(texts.sort()).toEqual(inputs.sort())
    const trees = await sources.treesOf(artifact)
    expect([...trees.keys()].sort()).toEqual(Object.values(project.output.sources).map(({ id }) => id))
    expect(trees.get(project.output.sources[SOURCE]?.id ?? -1)).toMatchObject({ nodeType: 'SourceUnit' })
  })

  it('is read once, again when it changes, and given up with the file', async () => {
    const files = new Map(whole)
    let reads = 0
    const folder = folderOf(files)
    const counting: ArtifactFolder = {
      ...folder,
      slice: (...part) => {
        reads++
        return folder.slice(...part)
      },
    }
    const library = libraryOf(counting)
    await library.refresh()
    const before = reads
    await library.refresh()
    expect(reads).toBe(before)
    const [path = '', text = ''] = [...whole][0] ?? []
    files.set(path, `${text} `)
    await library.refresh()
    expect(reads).toBeGreaterThan(before)
    files.clear()
    await library.refresh()
    expect(library.index.artifacts).toEqual([])
  })

  it('with more code than there is room for is read when a code is looked for', async () => {
    const library = new AbiLibrary({
      folders: [folderOf(whole)],
      clock: { monotonic: () => 0 },
      yieldToHost: async () => {},
      maxIndexBytes: 20_000,
    })
    expect(await library.refresh()).toEqual([])
    const kept = library.index.artifacts.length
    const codes = Object.entries(project.output.contracts[SOURCE] ?? {}).map(([name, { evm }]) => {
      return { name, code: hexToBytes(`0x${evm.deployedBytecode.object.replaceAll(/__.{38}/g, '0'.repeat(40))}`) }
    })
    const { name = '', code = new Uint8Array() } =
      codes.findLast(({ code }) => code.length > 0 && library.index.contract(code) === undefined) ?? {}
    expect(name).not.toBe('')
    const names = new ContractNames(library)
    expect(names.ofCode(code)).toBeUndefined()
    expect(names.isRefreshDue).toBe(true)
    expect(await names.refresh()).toEqual([])
    expect(names.ofCode(code)?.name).toBe(name)
    expect(library.index.artifacts.length).toBeGreaterThan(kept)
  })

  it('is not a source of contracts beside artifacts', async () => {
    const library = libraryOf(folderOf(hardhat2Files(project)))
    await library.refresh()
    expect(library.index.artifacts.every(({ build }) => build === undefined)).toBe(true)
  })

  it('that is damaged or too long is named, and the rest is used', async () => {
    const folder = folderOf(
      new Map([
        ...whole,
        ['build-info/cut.json', '{"output":{"contracts":{"A.sol":{"A":{"abi":['],
        ['build-info/odd.json', '{"output":{"contracts":{"A.sol":{"A":{"abi":5},"B":null,"C":{"abi":[],"evm":[]}}}}}'],
        ['build-info/long.json', ''],
      ]),
    )
    const files: ArtifactFolder['files'] = async (max) =>
      (await folder.files(max)).map((file) =>
        file.path.endsWith('long.json') ? { ...file, size: MAX_BUILD_FILE_BYTES + 1 } : file,
      )
    const library = libraryOf({ ...folder, files })
    const [problem] = await library.refresh()
    expect(problem).toMatch(/^out has 2 files that cannot be used: build-info\/(cut|long)\.json: it is /)
    expect(library.index.artifacts.map(({ name }) => name)).toContain('Failures')
  })
})
