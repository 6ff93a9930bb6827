/** The schema that introspection shows, compared with the reference. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import {
  buildClientSchema,
  buildSchema,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLArgument,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  isIntrospectionType,
  isSpecifiedScalarType,
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

  it('describes each type, field and argument', async () => {
    const schema = await served()
    const parts = Object.values(schema.getTypeMap())
      .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
      .flatMap((type) => [named(type.name, type), ...('getFields' in type ? fieldsOf(type) : [])])
    expect(parts.length).toBeGreaterThan(150)
    expect(parts.filter(({ description }) => !/^\S.*\.$/.test(description)).map(({ name }) => name)).toEqual([])
  })
})

interface Described {
  readonly name: string
  readonly description: string
}

function named(name: string, { description }: { readonly description?: string | null | undefined }): Described {
  return { name, description: description ?? '' }
}

function fieldsOf(type: GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType): readonly Described[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const name = `${type.name}.${field.name}`
    const args: readonly GraphQLArgument[] = 'args' in field ? field.args : []
    return [named(name, field), ...args.map((argument) => named(`${name}(${argument.name})`, argument))]
  })
}
