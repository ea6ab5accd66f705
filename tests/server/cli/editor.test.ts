/** In an editor with the published schema, completion offers keys with descriptions, and misspelt keys are marked. */
import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCommandFolder, top, type CommandFolder } from './cli.ts'

type Message = {
  readonly id?: number
  readonly method?: string
  readonly params?: {
    readonly uri?: string
    readonly diagnostics?: readonly Diagnostic[]
    readonly items?: readonly unknown[]
  }
  readonly result?: unknown
}
type Diagnostic = {
  readonly message: string
  readonly range: { readonly start: { readonly line: number; readonly character: number } }
}
type CompletionItem = {
  readonly label: string
  readonly documentation?: string | { readonly value: string }
}

let folder: CommandFolder
let server: ChildProcess
let nextId = 0
const listeners = new Set<(message: Message) => void>()

beforeAll(async () => {
  folder = createCommandFolder()
  cpSync(join(top, 'schemas'), join(folder.folder, 'schemas'), { recursive: true })
  server = spawn(
    process.execPath,
    [join(top, 'node_modules', 'yaml-language-server', 'bin', 'yaml-language-server'), '--stdio'],
    { stdio: ['pipe', 'pipe', 'ignore'] },
  )
  // The language server may still send requests during its shutdown.
  server.stdin?.on('error', () => {})
  let buffer = Buffer.alloc(0)
  server.stdout?.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const headerEnd = buffer.indexOf('\r\n\r\n')
      const length = Number(
        /Content-Length: (\d+)/.exec(buffer.subarray(0, Math.max(headerEnd, 0)).toString())?.[1],
      )
      if (headerEnd === -1 || buffer.length < headerEnd + 4 + length) return
      handleMessage(
        JSON.parse(buffer.subarray(headerEnd + 4, headerEnd + 4 + length).toString()) as Message,
      )
      buffer = buffer.subarray(headerEnd + 4 + length)
    }
  })
  await request('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(folder.folder).href,
    capabilities: {
      textDocument: { completion: { completionItem: { documentationFormat: ['markdown'] } } },
      workspace: { configuration: true },
    },
  })
  notify('initialized', {})
})
afterAll(() => {
  server.kill()
  folder.remove()
})

function handleMessage(message: Message): void {
  if (message.id !== undefined && message.method !== undefined) {
    // The server requests settings and change notifications. The reply contains the default settings without the online
    // schema store.
    const settings = {
      schemaStore: { enable: false },
      validate: true,
      completion: true,
      hover: true,
    }
    send({
      id: message.id,
      result:
        message.method === 'workspace/configuration'
          ? (message.params?.items ?? []).map((_, index) => (index === 0 ? settings : null))
          : null,
    })
    return
  }
  for (const listener of listeners) listener(message)
}
function send(message: object): void {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message })
  server.stdin?.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}
const notify = (method: string, params: object): void => send({ method, params })
const waitForMessage = <T>(select: (message: Message) => T | undefined): Promise<T> =>
  new Promise((resolve) => {
    const listener = (message: Message): void => {
      const value = select(message)
      if (value === undefined) return
      listeners.delete(listener)
      resolve(value)
    }
    listeners.add(listener)
  })
function request(method: string, params: object): Promise<unknown> {
  const id = ++nextId
  const responsePromise = waitForMessage((message) =>
    message.id === id && message.method === undefined ? { result: message.result } : undefined,
  )
  send({ id, method, params })
  return responsePromise.then(({ result }) => result)
}

function openDocument(
  name: string,
  text: string,
): { readonly uri: string; readonly diagnostics: Promise<readonly Diagnostic[]> } {
  const uri = pathToFileURL(join(folder.folder, 'events', name)).href
  const diagnostics = waitForMessage((message) =>
    message.method === 'textDocument/publishDiagnostics' && message.params?.uri === uri
      ? message.params.diagnostics
      : undefined,
  )
  notify('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } })
  return { uri, diagnostics }
}
const requestCompletion = async (
  uri: string,
  line: number,
  character: number,
): Promise<readonly CompletionItem[]> => {
  const response = (await request('textDocument/completion', {
    textDocument: { uri },
    position: { line, character },
  })) as { items: CompletionItem[] } | CompletionItem[]
  return Array.isArray(response) ? response : response.items
}
const getDocumentation = ({ documentation }: CompletionItem): string =>
  typeof documentation === 'string' ? documentation : (documentation?.value ?? '')

test.each(readdirSync(join(top, 'events')).filter((name) => name.endsWith('.yaml')))(
  '%s has no diagnostics',
  async (name) => {
    expect(await openDocument(name, folder.read(`events/${name}`)).diagnostics).toEqual([])
  },
)

test.each<[string, (text: string) => string, string]>([
  ['a misspelt key', (text) => text.replace('  venue:', '  vneue:'), '  vneue:'],
  ['an invalid value', (text) => text.replace('status: open', 'status: opne'), 'status: opne'],
  [
    'options on a text field',
    (text) => text.replace('{id: institution,', '{id: institution, options: [a],'),
    'id: institution',
  ],
])('%s is marked at its position', async (what, addMistake, expectedError) => {
  const text = addMistake(folder.read('events/midzone2025.yaml'))
  const line = text.split('\n').findIndex((textLine) => textLine.includes(expectedError))
  const diagnostics = await openDocument(`${what.replaceAll(' ', '')}.yaml`, text).diagnostics
  expect(line).toBeGreaterThan(0)
  expect(diagnostics.map(({ range }) => range.start.line)).toContain(line)
})

describe('completion offers keys, each with a description', () => {
  const FILE_START = '# yaml-language-server: $schema=../schemas/event.schema.json\nformat: 1\n'
  test.each<[string, string, readonly string[]]>([
    ['at the top', '', ['event', 'fees', 'form', 'examples']],
    ['of the event', 'event:\n  ', ['title', 'venue', 'status', 'support']],
    ['of the tax', 'fees:\n  tax:\n    ', ['percent', 'prices', 'round']],
    [
      'of a field',
      'form:\n  sections:\n    - title: A\n      fields:\n        - ',
      ['id', 'show_when', 'required', 'options'],
    ],
  ])('%s', async (name, body, expectedKeys) => {
    const text = FILE_START + body
    const lines = text.split('\n')
    const { uri } = openDocument(`${name.replaceAll(' ', '')}.yaml`, text)
    const items = await requestCompletion(uri, lines.length - 1, lines.at(-1)?.length ?? 0)
    const keys = items.filter(({ label }) => /^[a-z_]+$/.test(label))
    expect(keys.map(({ label }) => label)).toEqual(expect.arrayContaining([...expectedKeys]))
    expect(
      keys.filter((item) => getDocumentation(item).length < 8).map(({ label }) => label),
    ).toEqual([])
  })
})

test('every key in the schema has a description', () => {
  const schema = JSON.parse(folder.read('schemas/event.schema.json')) as {
    definitions: Record<string, { description?: string }>
  }
  const withoutDescription: string[] = []
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    const block = value as Record<string, unknown>
    const isCondition = /\/(if|then|else)(\/|$)/.test(path)
    if (!isCondition && typeof block['properties'] === 'object')
      for (const [key, child] of Object.entries(
        block['properties'] as Record<string, { description?: string; $ref?: string }>,
      ))
        if (
          child.description === undefined &&
          schema.definitions[child.$ref?.split('/').at(-1) ?? '']?.description === undefined
        )
          withoutDescription.push(`${path}.${key}`)
    for (const [key, child] of Object.entries(block)) walk(child, `${path}/${key}`)
  }
  walk(schema, '')
  expect(withoutDescription).toEqual([])
})
