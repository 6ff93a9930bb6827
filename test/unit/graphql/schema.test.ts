/** The schema that introspection shows, compared with the reference. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import {
  buildClientSchema,
  buildSchema,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  getIntrospectionQuery,
  printSchema,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'
import { graphql } from '../../support/nodes/graphqlNode.ts'

const open = closedAfterEach()
const reference = buildSchema(readFileSync(path.join(import.meta.dirname, 'referenceSchema.graphql'), 'utf8'))

async function served(): Promise<GraphQLSchema> {
  const { status, data } = await graphql(await open(), getIntrospectionQuery())
  expect(status).toBe(200)
  return buildClientSchema(data)
}

describe('the schema', () => {
  it('breaks no client of the reference', async () => {
    const schema = await served()
    expect(findBreakingChanges(reference, schema)).toEqual([])
    expect(findDangerousChanges(reference, schema)).toEqual([])
  })

  it('has nothing that the reference lacks', async () => {
    expect(findBreakingChanges(await served(), reference)).toEqual([])
  })

  it('describes every type that is not named after its content', async () => {
    const described = printSchema(await served())
    expect(described).toContain('"""20 bytes in hex with 0x."""')
    expect(described).toContain('"""wei per unit of gas; null before London."""')
  })
})
