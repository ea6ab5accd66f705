/** Checks the files of a request against the fields of the form. */
import { err, ok, memoize, shownFields } from '../../../engine/index.ts'
import { REFUSAL_MESSAGES } from '../../../engine/messages.ts'
import type {
  Answers,
  EventConfig,
  PricingContext,
  Field,
  FieldErrors,
  RawAnswers,
  Result,
} from '../../../engine/index.ts'
import type { Deps, ReceivedFile } from '../../dependencies.ts'
import type { Body, FileLimits } from '../../http/request-body.ts'
import type { NewRegistration } from '../../storage/index.ts'
import type { Drafts } from './draft-uploads.ts'

type FieldFile = { readonly field: Field; readonly name: string; readonly file: ReceivedFile }
type Upload = NewRegistration['uploads'][number]
/** The data to store about the files, and the files to keep. */
export type ValidatedFiles = {
  readonly uploads: readonly Upload[]
  readonly files: readonly ReceivedFile[]
}

/** Returns the size limit in bytes of each file field. */
export const fileLimitsOf = memoize((event: EventConfig) => limitsOf(event.fields))

/** The same for any list of fields. */
export function limitsOf(fields: readonly Field[]): FileLimits {
  return new Map(
    fields.flatMap(({ id, type, bytesMax }) =>
      type === 'file' && bytesMax !== undefined ? [[id, bytesMax] as const] : [],
    ),
  )
}

/**
 * Returns the answers as sent. The answer of a file field is the file's name; only files that came with the
 * request or ahead of it count.
 */
export function answersOf(
  event: EventConfig,
  body: Body,
  drafts: Drafts,
): Readonly<Record<string, unknown>> {
  const fields = event.fields.filter(({ type }) => type === 'file')
  const isAnswered = ({ id }: Field): boolean => Object.hasOwn(body.values, id)
  if (body.files.size === 0 && !fields.some(isAnswered)) return body.values
  const raw: Record<string, unknown> = Object.assign(
    Object.create(null) as Record<string, unknown>,
    body.values,
  )
  for (const { id } of fields) {
    const sent = body.files.get(id)
    const draft = drafts.get(id)
    if (sent !== undefined && sent.file.bytes > 0) raw[id] = sent.name
    else if (draft?.ok === true) raw[id] = draft.value.name
    else delete raw[id]
  }
  return raw
}

/** Checks the files of visible fields; others are dropped like any hidden answer. `answers` are checked answers. */
export function judgeFiles(
  deps: Pick<Deps, 'uploads'>,
  event: EventConfig,
  answers: Answers,
  sent: Body['files'],
  drafts: Drafts,
): Result<ValidatedFiles, FieldErrors> | Promise<Result<ValidatedFiles, FieldErrors>> {
  return sent.size === 0 && drafts.size === 0
    ? NO_FILES
    : judgeEach(deps, event, answers, sent, drafts)
}

const NO_FILES: Result<ValidatedFiles, never> = ok({ uploads: [], files: [] })

async function judgeEach(
  deps: Pick<Deps, 'uploads'>,
  event: EventConfig,
  answers: Answers,
  sent: Body['files'],
  drafts: Drafts,
): Promise<Result<ValidatedFiles, FieldErrors>> {
  const errors: Record<string, string> = {}
  const uploads: Upload[] = []
  const files = filesOf(event, answers, sent)
  const kept: ReceivedFile[] = []
  // Uploads sent ahead were checked and stored on arrival. A file sent with the answers takes precedence.
  for (const [id, draft] of drafts) {
    if (!draft.ok || !Object.hasOwn(answers, id) || files.some(({ field }) => field.id === id))
      continue
    const { field, sha256, name, type, bytes } = draft.value
    uploads.push({ field, sha256, name, type, bytes })
  }
  for (const { field, name: sent, file } of files) {
    const type = await deps.uploads.typeOf(file, sent, field.accept ?? [])
    if (type === null) errors[field.id] = field.invalid
    else {
      // The checked answer: without the sender's folders and invisible characters, and of limited length.
      const name = String(answers[field.id])
      const bare = await deps.uploads.bared(file, type)
      kept.push(bare)
      uploads.push({ field: field.id, sha256: bare.sha256, name, type, bytes: bare.bytes })
    }
  }
  return Object.keys(errors).length > 0 ? err(errors) : ok({ uploads, files: kept })
}

function filesOf(event: EventConfig, answers: Answers, sent: Body['files']): readonly FieldFile[] {
  return event.fields.flatMap((field) => {
    const found =
      field.type === 'file' && Object.hasOwn(answers, field.id) ? sent.get(field.id) : undefined
    return found === undefined || found.file.bytes === 0 ? [] : [{ field, ...found }]
  })
}

/**
 * Shown for a proof that was sent too long ago or withdrawn; only for visible fields, since the delegate cannot
 * correct others.
 */
export const FILE_GONE = REFUSAL_MESSAGES.answers.fileExpired

/** Returns the message of each field that names a missing proof. */
export function goneFrom(
  event: EventConfig,
  body: Body,
  drafts: Drafts,
  raw: RawAnswers,
  facts: PricingContext,
): FieldErrors {
  const gone = [...drafts].filter(([id, { ok: isThere }]) => !isThere && !body.files.has(id))
  if (gone.length === 0) return {}
  const shown = shownFields(event, raw, facts)
  return Object.fromEntries(
    gone.flatMap(([id]) => (shown.has(id) ? [[id, FILE_GONE] as const] : [])),
  )
}
