/** Checks EV534 to EV536: a label agrees with its field's id, required state and messages. */
import type { Draft } from '../../finding.ts'
import type { Check, Checks, FieldAt, Model } from '../../checked-file.ts'
import { join } from '../../syntax/source.ts'
import { categoryOrderChecks } from '../prices/category-order.ts'

export const OPTIONAL_MARK = /\(\s*optional\s*\)|[-–—:,]\s*optional\s*$|^\s*optional\s*[-–—:]/i
const STAR_AT_END = /[^\s*]\s*\*\s*:?\s*$/

/** Matches a footnote that explains a star: "* as on the certificate". */
const STAR_FOOTNOTE = /^["']?\*\s*(?!.*\b(?:mandatory|required|compulsory|must)\b)\S/i

const labelContradictsRequiredCheck: Check = {
  slug: 'label-contradicts-required',
  severity: 'warning',
  why: 'If the label contradicts `required`, delegates skip a required question, or think that an optional question is required.',
  find: ({ fieldsAndParts, displayedTexts }) => {
    const hasFootnote = displayedTexts.some(({ written }) => STAR_FOOTNOTE.test(written))
    return fieldsAndParts.flatMap(({ raw, path, field }): Draft[] => {
      const { required, label } = field
      const at = join(path, 'label')
      if (required !== undefined)
        return required.when === undefined &&
          field.default === undefined &&
          OPTIONAL_MARK.test(label)
          ? [
              {
                at,
                message: `“${label}” is required`,
                related: [{ at: join(path, 'required'), part: 'entry', message: 'required here' }],
                help: 'remove “optional” from the label, or remove `required`',
              },
            ]
          : []
      // The star is explained by a footnote, or the field always has an answer for another reason.
      const isStarJustified =
        hasFootnote ||
        field.default !== undefined ||
        field.type === 'consent' ||
        (field.type === 'people' && (field.min ?? 0) > 0) ||
        raw.choose?.at_least !== undefined
      return STAR_AT_END.test(label) && !isStarJustified
        ? [
            {
              at,
              message: `“${label}” can be left empty: a * in the label does not make it required`,
              help: 'write required: true, or remove the *: pages mark optional fields as optional',
            },
          ]
        : []
    })
  },
}

/** Returns the normalised words of a name: "E-mail IDs" becomes `email` and `id`. */
export function collectWords(text: string): ReadonlySet<string> {
  return new Set(
    text
      .replace(/\{[^{}]*\}/g, ' ')
      .toLowerCase()
      .replace(/\be-mail/g, 'email')
      .split(/[^\p{L}\p{N}\p{M}]+/u)
      .filter((word) => word !== '')
      .map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)),
  )
}
const excludeWords = (
  words: ReadonlySet<string>,
  others: ReadonlySet<string>,
): ReadonlySet<string> => new Set([...words].filter((word) => !others.has(word)))
const isWithin = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...words].every((word) => others.has(word))
const sharesWord = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...words].some((word) => others.has(word))

/** Words that occur in many names and do not distinguish one name from another. */
const GENERIC_WORDS = collectWords('number no num id address')
/** Words that messages use for any field. */
const FILLER_WORDS = collectWords(
  `please kindly enter give provide fill in type write add select choose pick upload attach your a an the valid correct
   proper is are must be required needed mandatory compulsory missing invalid not we need cannot can t empty blank
   field this should here us tell say mention digit ten 10 indian looks like does do seem with`,
)
const collectSignificantWords = (text: string): ReadonlySet<string> =>
  excludeWords(excludeWords(collectWords(text), FILLER_WORDS), GENERIC_WORDS)

/** Synonyms for an email address or a phone number. */
const CONTACT_SYNONYMS = {
  email: ['email', 'mail', 'gmail'],
  phone: ['phone', 'mobile', 'telephone', 'tel', 'whatsapp', 'cell', 'contact'],
} as const
const CONTACT_TYPES = ['email', 'phone'] as const
/** Words that messages use for any answer of a type. */
const WORDS_BY_TYPE = {
  date: ['date', 'day', 'birth', 'birthday', 'dob'],
  file: ['file', 'document', 'proof', 'certificate', 'letter', 'scan', 'copy', 'photo'],
} as const
const buildWordKey = (words: ReadonlySet<string>): string => [...words].toSorted().join(' ')

function findContactType({ id, raw, field }: FieldAt): keyof typeof CONTACT_SYNONYMS | null {
  const words = collectWords(`${id} ${field.label}`)
  if (field.type === 'email' || words.has('email')) return 'email'
  const isPhone =
    field.type === 'phone' ||
    raw.format === 'mobile-in' ||
    CONTACT_SYNONYMS.phone.some((word) => words.has(word))
  return isPhone ? 'phone' : null
}

/** Returns the messages of a field, each with its path. */
function listFieldMessages({
  raw,
  path,
}: FieldAt): readonly { readonly text: string; readonly at: string }[] {
  const { required, invalid } = raw
  return [
    ...(typeof required === 'string' ? [{ text: required, at: join(path, 'required') }] : []),
    ...(typeof required === 'object' && required.message !== undefined
      ? [{ text: required.message, at: join(path, 'required.message') }]
      : []),
    ...(invalid === undefined ? [] : [{ text: invalid, at: join(path, 'invalid') }]),
  ]
}

/**
 * Returns the groups of fields that are shown together: the fields of the form, and the fields of each list of people.
 */
const groupFieldsShownTogether = ({
  fields,
  fieldsAndParts,
}: Model): readonly (readonly FieldAt[])[] => [
  fields,
  ...fields.flatMap(({ raw, path }) =>
    raw.fields === undefined
      ? []
      : [fieldsAndParts.filter((candidate) => candidate.path.startsWith(`${path}.fields.`))],
  ),
]

const messageForWrongFieldCheck: Check = {
  slug: 'message-for-wrong-field',
  severity: 'warning',
  why: 'A message that mentions another question sends delegates to the wrong question.',
  after: ['EV206', 'EV501'],
  find: (model) =>
    groupFieldsShownTogether(model).flatMap((fields) => {
      const describedFields = fields.map((field) => ({
        fieldAt: field,
        contactType: findContactType(field),
        names: [collectSignificantWords(field.field.label), collectSignificantWords(field.id)],
      }))
      const byName = Map.groupBy(
        describedFields.flatMap((other) =>
          other.names.map((words) => ({ other, key: buildWordKey(words) })),
        ),
        ({ key }) => key,
      )
      const byContactType = Map.groupBy(describedFields, (other) => other.contactType)
      return describedFields.flatMap(({ fieldAt, contactType, names }) => {
        const ownWords = new Set([
          ...names.flatMap((words) => [...words]),
          ...(contactType === null ? [] : CONTACT_SYNONYMS[contactType]),
          ...(fieldAt.field.type === 'date' || fieldAt.field.type === 'file'
            ? WORDS_BY_TYPE[fieldAt.field.type]
            : []),
        ])
        return listFieldMessages(fieldAt).flatMap(({ text, at }): Draft[] => {
          const messageWords = collectSignificantWords(text)
          if (messageWords.size === 0 || sharesWord(messageWords, ownWords)) return []
          const namedContactType =
            messageWords.size > 1
              ? undefined
              : CONTACT_TYPES.find((candidate) =>
                  CONTACT_SYNONYMS[candidate].some((word) => messageWords.has(word)),
                )
          const suggestion =
            byName.get(buildWordKey(messageWords))?.[0]?.other ??
            (namedContactType === undefined ? undefined : byContactType.get(namedContactType)?.[0])
          return suggestion === undefined
            ? []
            : [
                {
                  at,
                  message: `“${text}” mentions “${suggestion.fieldAt.field.label}”, but the question here is “${fieldAt.field.label}”`,
                  related: [
                    { at: join(suggestion.fieldAt.path, 'label'), message: 'the other question' },
                  ],
                  help: `write the message for “${fieldAt.field.label}”`,
                },
              ]
        })
      })
    }),
}

type LabelledEntry = {
  readonly id: string
  readonly at: string
  readonly idWords: ReadonlySet<string>
  readonly labelWords: ReadonlySet<string>
  readonly label: string
}

/** Returns, for each list, the entries that have both an id and a label. */
function groupLabelledEntries(model: Model): readonly (readonly LabelledEntry[])[] {
  const { file, fieldsAndParts } = model
  const collectLabels = (
    list: readonly unknown[] | undefined,
    getPath: (index: number) => string,
  ): readonly LabelledEntry[] =>
    (list ?? []).flatMap((entry, index): LabelledEntry[] => {
      if (typeof entry !== 'object' || entry === null) return []
      const { id, label } = entry as { readonly id?: string; readonly label?: string }
      if (id === undefined || label === undefined) return []
      const words = collectWords(id)
      const distinctiveWords = excludeWords(words, GENERIC_WORDS)
      return [
        {
          id,
          at: join(getPath(index), 'label'),
          idWords: distinctiveWords.size === 0 ? words : distinctiveWords,
          labelWords: collectWords(label),
          label,
        },
      ]
    })
  const createPathGetter =
    (path: string) =>
    (index: number): string =>
      join(path, index)
  const areCategoriesReported = categoryOrderChecks.EV452.find(model).length > 0
  return [
    ...(areCategoriesReported
      ? []
      : [collectLabels(file.categories, createPathGetter('categories'))]),
    collectLabels(file.fees.periods, createPathGetter('fees.periods')),
    collectLabels(file.fees.items, createPathGetter('fees.items')),
    collectLabels(file.fees.adjustments, createPathGetter('fees.adjustments')),
    collectLabels(file.codes?.kinds, createPathGetter('codes.kinds')),
    ...groupFieldsShownTogether(model).map((fields) =>
      collectLabels(
        fields.map(({ raw }) => raw),
        (index) => fields[index]?.path ?? '',
      ),
    ),
    ...fieldsAndParts.flatMap(({ raw: { options }, path }) =>
      Array.isArray(options)
        ? [collectLabels(options, createPathGetter(join(path, 'options')))]
        : [],
    ),
  ]
}

/**
 * Returns whether the label of one entry fits the id of another: the label contains the words of that other id, and
 * none of the words that occur only in the first entry's id.
 */
const doesLabelFitIdOf = (entry: LabelledEntry, other: LabelledEntry): boolean => {
  const wordsOfOwnId = excludeWords(entry.idWords, other.idWords)
  return (
    wordsOfOwnId.size > 0 &&
    isWithin(other.idWords, entry.labelWords) &&
    !sharesWord(wordsOfOwnId, entry.labelWords)
  )
}

const labelsSwappedCheck: Check = {
  slug: 'labels-swapped',
  severity: 'warning',
  why: 'Delegates see the label, but the id is stored and charged. If labels are swapped, delegates get the wrong option.',
  after: ['EV206', 'EV505', 'EV514'],
  find: (model) =>
    groupLabelledEntries(model).flatMap((list) => {
      const byWord = Map.groupBy(list, ({ idWords }) => [...idWords][0] ?? '')
      return list.flatMap((entry, index) =>
        [...entry.labelWords]
          .flatMap((word) => byWord.get(word) ?? [])
          .filter(
            (other) =>
              list.indexOf(other) > index &&
              doesLabelFitIdOf(entry, other) &&
              doesLabelFitIdOf(other, entry),
          )
          .map((other): Draft => ({
            at: entry.at,
            message: `\`${entry.id}\` is called “${entry.label}”, and \`${other.id}\` is called “${other.label}”`,
            related: [{ at: other.at, message: 'the other label' }],
            help: 'swap the two labels',
          })),
      )
    }),
}

export const labelChecks = {
  EV534: labelContradictsRequiredCheck,
  EV535: messageForWrongFieldCheck,
  EV536: labelsSwappedCheck,
} satisfies Checks
