/** Proofs sent ahead of their registration: the token by which a form names one, and what it names. */
import { createHash, randomBytes } from 'node:crypto'
import { err, ok, own } from '../../../engine/index.ts'
import type { EventConfig, Instant, Result } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { DraftProof } from '../../storage/index.ts'
import { DRAFT_MS } from './store-uploaded-files.ts'

/** 256 random bits, which nobody guesses. */
const TOKEN_BYTES = 32
/** What stands in the place of a file, and is no file's name. */
const TOKEN = /^proof\.[A-Za-z0-9_-]{43}$/

export function newToken(): string {
  return `proof.${randomBytes(TOKEN_BYTES).toString('base64url')}`
}

/** Only the hash is stored: whoever reads the database can name no proof. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** What the answers of a form name by tokens, by field. Of what is not there any more nothing is said but that. */
export type Drafts = ReadonlyMap<string, Result<DraftProof, 'gone'>>

const NONE: Drafts = new Map()

/** The proofs that stand in these answers by their tokens; one of another event or field is none. Where none does, nothing is waited for. */
export function draftsIn(
  deps: Pick<Deps, 'store' | 'uploads'>,
  event: EventConfig,
  values: Readonly<Record<string, unknown>>,
  at: Instant,
): Drafts | Promise<Drafts> {
  const named = event.fields.flatMap(({ id, type }): [string, string][] => {
    const value = type === 'file' ? own(values, id) : null
    return typeof value === 'string' && TOKEN.test(value.trim()) ? [[id, value.trim()]] : []
  })
  return named.length === 0 ? NONE : found(deps, event, named, at)
}

/** One that answers this field, held so that it is not swept, and what its token is stored as; null: it is none. */
export async function heldDraft(
  { store, uploads }: Pick<Deps, 'store' | 'uploads'>,
  event: EventConfig,
  field: string,
  token: string,
  at: Instant,
): Promise<{ readonly proof: DraftProof; readonly tokenHash: string } | null> {
  if (!TOKEN.test(token)) return null
  const tokenHash = hashOfToken(token)
  const proof = await store.draft(tokenHash)
  const isTheirs = proof !== null && proof.eventId === event.id && proof.field === field
  return isTheirs && at - proof.at < DRAFT_MS && (await uploads.hold(proof.sha256))
    ? { proof, tokenHash }
    : null
}

async function found(
  deps: Pick<Deps, 'store' | 'uploads'>,
  event: EventConfig,
  named: readonly (readonly [id: string, token: string])[],
  at: Instant,
): Promise<Drafts> {
  const drafts = new Map<string, Result<DraftProof, 'gone'>>()
  for (const [id, token] of named) {
    const draft = await heldDraft(deps, event, id, token, at)
    drafts.set(id, draft === null ? err('gone') : ok(draft.proof))
  }
  return drafts
}
