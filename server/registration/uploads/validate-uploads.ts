/** The files of a request against the fields of the form: which belong to it, and whether they are what they should be. */
import { err, ok, remember, shownFields } from '../../../engine/index.ts'
import type {
  Answers,
  EventConfig,
  Facts,
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
/** What is stored of the files, and the files themselves, to be kept. */
export type JudgedFiles = {
  readonly uploads: readonly Upload[]
  readonly files: readonly ReceivedFile[]
}

/** How many bytes the file of each field may have. */
export const fileLimitsOf = remember((event: EventConfig) => limitsOf(event.fields))

/** The same of any fields. */
export function limitsOf(fields: readonly Field[]): FileLimits {
  return new Map(
    fields.flatMap(({ id, type, bytesMax }) =>
      type === 'file' && bytesMax !== undefined ? [[id, bytesMax] as const] : [],
    ),
  )
}

/** The answers as sent; a file's answer is its name, and only a file counts that came with the request, or ahead of it. */
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

/** Judges the files of fields that are shown; any other is dropped like any hidden answer. `answers` are checked ones. */
export function judgeFiles(
  deps: Pick<Deps, 'uploads'>,
  event: EventConfig,
  answers: Answers,
  sent: Body['files'],
  drafts: Drafts,
): Result<JudgedFiles, FieldErrors> | Promise<Result<JudgedFiles, FieldErrors>> {
  return sent.size === 0 && drafts.size === 0
    ? NO_FILES
    : judgeEach(deps, event, answers, sent, drafts)
}

const NO_FILES: Result<JudgedFiles, never> = ok({ uploads: [], files: [] })

async function judgeEach(
  deps: Pick<Deps, 'uploads'>,
  event: EventConfig,
  answers: Answers,
  sent: Body['files'],
  drafts: Drafts,
): Promise<Result<JudgedFiles, FieldErrors>> {
  const errors: Record<string, string> = {}
  const uploads: Upload[] = []
  const files = filesOf(event, answers, sent)
  const kept: ReceivedFile[] = []
  // Judged and kept when they came. What comes with the answers counts before what came ahead of them.
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
      // The checked answer: without the sender's folders, without what cannot be seen, of a length that can be read.
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

/** Said of a proof that was sent too long ago, or taken back: of fields that are seen, for nobody can mend another. */
export const FILE_GONE = 'We no longer have this file. Please choose it again.'

/** The message of each field that names a proof which is not there. */
export function goneFrom(
  event: EventConfig,
  body: Body,
  drafts: Drafts,
  raw: RawAnswers,
  facts: Facts,
): FieldErrors {
  const gone = [...drafts].filter(([id, { ok: isThere }]) => !isThere && !body.files.has(id))
  if (gone.length === 0) return {}
  const shown = shownFields(event, raw, facts)
  return Object.fromEntries(
    gone.flatMap(([id]) => (shown.has(id) ? [[id, FILE_GONE] as const] : [])),
  )
}
