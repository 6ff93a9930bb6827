/** The stores of a Worker over the bindings of workerd. */
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll } from 'vitest'
import { openKvObjects } from '../../adapters/shared/objects/kvObjects.ts'
import { R2Objects } from '../../adapters/shared/objects/r2Objects.ts'
import { objectStoreContract } from '../unit/adapters/objects/contract.ts'

const STORES = 40
const names = Array.from({ length: STORES }, (_, i) => `STORE-${i}`)
let miniflare: Miniflare
let buckets = 0
let namespaces = 0

beforeAll(() => {
  miniflare = new Miniflare({
    cf: false,
    modules: true,
    script: 'export default {}',
    kvNamespaces: names,
    r2Buckets: Object.fromEntries(names.map((name) => [name, name.toLowerCase()])),
  })
})
afterAll(() => miniflare.dispose())

objectStoreContract('a bucket of R2', async () => {
  const bucket = await miniflare.getR2Bucket(names[buckets++] as string)
  return [new R2Objects(bucket), new R2Objects(bucket)]
})

objectStoreContract('a namespace of Workers KV', async () => {
  const namespace = await miniflare.getKVNamespace(names[namespaces++] as string)
  return [openKvObjects(namespace), openKvObjects(namespace)]
})
