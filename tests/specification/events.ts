/** Compiles the served event files, for tests that compare them with the specification. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileEvent } from '../../engine/authoring.ts'
import type { AdminList, EventConfig, Field } from '../../engine/index.ts'

const EVENTS_DIR = join(import.meta.dirname, '..', '..', 'events')
const readSource = (path: string) => ({ path, text: readFileSync(join(EVENTS_DIR, path), 'utf8') })
const sharedSources = {
  lists: readSource('_shared/lists.yaml'),
  gateways: readSource('_shared/gateways.yaml'),
  texts: readSource('_shared/texts.yaml'),
}

export function compileServedEvent(id: string): EventConfig {
  const { path, text } = readSource(`${id}.yaml`)
  const { event } = compileEvent(text, sharedSources, { path })
  if (event === null) throw new Error(`${path} does not compile`)
  return event
}

export const afpicon = compileServedEvent('afpicon2026')
export const chirurgia = compileServedEvent('chirurgia2026')
export const midzone = compileServedEvent('midzone2025')
export const pulmocon = compileServedEvent('pulmocon2025')

export function findField(event: EventConfig, id: string): Field {
  const field = event.fields.find((candidate) => candidate.id === id)
  if (field === undefined) throw new Error(`${event.id} has no field ${id}`)
  return field
}
export function findList(event: EventConfig, id: string): AdminList {
  const list = event.admin.lists.find((candidate) => candidate.id === id)
  if (list === undefined) throw new Error(`${event.id} has no list ${id}`)
  return list
}
