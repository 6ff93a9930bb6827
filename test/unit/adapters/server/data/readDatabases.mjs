/** Opens each database that the arguments name and reads all of it; an error is as good as an answer, a signal is not. */
import { Buffer } from 'node:buffer'
import process from 'node:process'
import { open } from 'lmdb'

for (const path of process.argv.slice(2)) {
  try {
    const database = open({ path, encoding: 'binary', keyEncoding: 'binary', maxDbs: 1 })
    for (const { key, value } of database.getRange({})) Buffer.concat([key, value])
    database.putSync(Buffer.from([1, 0, 5]), Buffer.alloc(200))
    await database.close()
  } catch {
    // Refused.
  }
}
