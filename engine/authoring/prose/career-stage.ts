/** Reads membership, career stage and companion or senior status from names of categories and answers. */

/** 0: students and interns; 1: postgraduates and residents; 2: in practice. */
type Level = 0 | 1 | 2
export type CareerStage = {
  readonly isMember: boolean | null
  /** Empty if the name states none. */
  readonly levels: ReadonlySet<Level>
  readonly isCompanion: boolean
  readonly isSenior: boolean
  /**
   * The remaining words: "one day", "with workshop". Only names with the same remaining words are
   * comparable.
   */
  readonly remainingWords: string
}

const LEVEL_WORDS: readonly (readonly [Level, RegExp])[] = [
  [
    1,
    /\b(?:p\.?g\.?|pgs|pg'?s|post ?grad\w*|residents?|residency|registrars?|trainees?|dnb|phd|research scholars?|scholars?|jr|srs?)\b/g,
  ],
  [
    0,
    /\b(?:students?|mbbs|bds|bams|bhms|undergrad\w*|under graduates?|u\.?g\.?s?|interns?|internees?|internship|house surgeons?|crri|nursing students?)\b/g,
  ],
  [
    2,
    /\b(?:specialists?|consultants?|facult(?:y|ies)|professors?|gps?|general practitioners?|practitioners?|practising|practicing|senior doctors?)\b/g,
  ],
]
const COMPANION_WORDS =
  /\b(?:accompan\w+|spouses?|companions?|family members?|wife|husband|guests? of delegates?)\b(?: persons?| members?| delegates?)?/g
const SENIOR_WORDS =
  /\b(?:senior citizens?|sr\.? citizens?|seniors?(?= *$| *\(| *members?\b| *delegates?\b| *[-–] *\d)|super ?annuated|retired|veterans?)\b|\b(?:above|over|aged?|age) *(?:5[5-9]|[6-9]\d)\b(?: *(?:years?|yrs?))?|\b(?:5[5-9]|[6-9]\d) *(?:\+|years?|yrs?|and above|& above|plus)/g
/** Words that do not indicate a career stage. */
const IGNORED_WORDS =
  /\b(?:the|of|for|and|or|a|an|to|in|with|is|are|as|all|only|any|category|registration|regn|fees?|rates?|persons?|people|delegates?|participants?|registrants?|attendees?|doctors?|drs?|physicians?|surgeons?|medical|dental|practice|private|indian|national|regular|ordinary|proof|required|junior|senior|sr|jr|1st|2nd|year|visitors?|guests?|general|public|outsiders?|individuals?|life|annual|associate|society|association|assn|body)\b/g

/** "Non-PG" does not mean a postgraduate. */
const NEGATED_LEVEL =
  /\b(?:non|not an?|not) (?:p\.?g|post ?graduates?|students?|trainees?|residents?|facult\w+|interns?)\b/g

/** Splits a name into words; in ids, hyphens and underscores separate them. */
const splitWords = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[’']/g, "'")
    .replace(/[_–—-]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const NEGATION_PREFIX =
  /\b(?:non|not)(?: an?| a)? ?(?:([a-z]{2,12}) )?members?\b|\bnon ([a-z]{2,12})\b|\bnonmembers?\b|\bwithout membership\b/g
const MEMBER_WORDS = /\bmembers?(?:hip)?\b/g
/** Matches members of something other than a delegates' association. */
const OTHER_MEMBERS =
  /\b(?:committee|family|team|board|faculty|staff|council|executive|crew|group|organi[sz]ing) members?\b/g
/** Words that "non" may negate and that are not associations. */
const NON_ASSOCIATION_WORDS = new Set(
  `residential resident residents veg vegetarian medical clinical teaching academic doctor doctors delegate delegates
   indian indians refundable transferable cme credit practicing practising faculty physician surgeon ac accredited
   government govt working workshop local presenting presenter author speaker student students pg ug member members
   specialist specialists specialty national resident keralite kerala gst stop sharing smoker alcoholic profit
   twin single surgical core conference registered early an the`.split(/\s+/),
)
const CAPITALS_BEFORE_MEMBER =
  /\b([A-Z]{2,10})(?:\s+(?:[Ll]ife|[Aa]nnual|[Aa]ssociate))?\s+[Mm]ember|[Mm]embers?(?:hip)? of (?:the )?([A-Z]{2,10})\b|\b[Nn]on[-\s]+([A-Za-z]{2,12})\b/g

/**
 * Returns the associations whose members are distinguished: "AFPI" in "Non-AFPI", "ASI" in "Members
 * of ASI".
 */
export function findAssociations(names: readonly string[]): ReadonlySet<string> {
  return new Set(
    names
      .flatMap((name) => [...name.replaceAll('_', ' ').matchAll(CAPITALS_BEFORE_MEMBER)])
      .flatMap((found) => [found[1], found[2], found[3]])
      .flatMap((word) => (word === undefined ? [] : [word.toLowerCase()]))
      .filter(
        (word) =>
          !NON_ASSOCIATION_WORDS.has(word) &&
          LEVEL_WORDS.every(([, pattern]) => word.match(pattern) === null),
      ),
  )
}

/** Reads a name. `associations` are those named anywhere in the file. */
export function readCareerStage(name: string, associations: ReadonlySet<string>): CareerStage {
  const plainName = splitWords(name.replace(/\(.*?(?:proof|number|letter|certificate).*?\)/gi, ' '))
  const isNonMember =
    /^others?$/.test(plainName) ||
    [...plainName.matchAll(NEGATION_PREFIX)].some(
      // "PG, non-residential, member": "non" does not negate the member.
      ({ 1: quality = '', 2: denied }) =>
        denied === undefined ? !NON_ASSOCIATION_WORDS.has(quality) : associations.has(denied),
    )
  const mentionsMembership =
    plainName.replace(OTHER_MEMBERS, ' ').match(MEMBER_WORDS) !== null ||
    plainName.split(/[^a-z0-9]+/).some((word) => associations.has(word))
  const isMember = isNonMember ? false : mentionsMembership ? true : null
  const levels = new Set<Level>()
  let companions = 0
  const phrases = plainName
    .replace(NEGATED_LEVEL, ' ')
    .split(/[/,;+&]| and | or /)
    .filter((chunk) => /[a-z]/.test(chunk))
  for (const chunk of phrases) {
    // "PG student" is a postgraduate; "consultant" and "resident" in one name are ambiguous.
    const level = LEVEL_WORDS.find(([, pattern]) => chunk.match(pattern) !== null)?.[0]
    if (chunk.match(COMPANION_WORDS) !== null) companions += 1
    else if (level !== undefined) levels.add(level)
  }
  const isCompanion = companions > 0 && (companions === phrases.length || levels.size === 0)
  // A negated word that is not an association is joined with "non", because residential is not non-residential.
  let remainingText = plainName
    .replace(/\bnonmembers?\b|\bnon (?:life|annual|associate) (?=member)/g, ' ')
    .replace(/\bnon (\w+)\b( members?\b)?/g, (match, denied: string, member = '') =>
      associations.has(denied) ||
      /^members?$/.test(denied) ||
      (member !== '' && !NON_ASSOCIATION_WORDS.has(denied))
        ? match
        : `non${denied}${member}`,
    )
  for (const pattern of [
    SENIOR_WORDS,
    COMPANION_WORDS,
    OTHER_MEMBERS,
    NEGATED_LEVEL,
    MEMBER_WORDS,
    ...LEVEL_WORDS.map(([, one]) => one),
    IGNORED_WORDS,
  ])
    remainingText = remainingText.replace(pattern, ' ')
  return {
    isMember,
    levels: isCompanion ? new Set() : levels,
    isCompanion,
    isSenior: plainName.match(SENIOR_WORDS) !== null,
    remainingWords: [
      ...new Set(
        remainingText
          .split(/[^\p{L}\p{N}\p{M}]+/u)
          .filter(
            (word) =>
              word !== '' &&
              !associations.has(word) &&
              word !== 'non' &&
              word !== 'others' &&
              word !== 'other',
          )
          .map((word) => word.replace(/s$/, '')),
      ),
    ]
      .toSorted()
      .join(' '),
  }
}

/**
 * Returns the reason why two names exclude each other, as part of a sentence. Returns null if one person may have both.
 */
export function findContradiction(
  a: CareerStage,
  b: CareerStage,
): readonly [string, string] | null {
  if (a.isMember !== null && b.isMember !== null && a.isMember !== b.isMember)
    return a.isMember ? ['members', 'non-members'] : ['non-members', 'members']
  const isForTrainees = (stage: CareerStage): boolean =>
    stage.levels.size > 0 && !stage.levels.has(2)
  const isForPractitioners = (stage: CareerStage): boolean =>
    stage.levels.size === 1 && stage.levels.has(2)
  if (isForTrainees(a) && isForPractitioners(b)) return ['trainees', 'people in practice']
  if (isForPractitioners(a) && isForTrainees(b)) return ['people in practice', 'trainees']
  return null
}
