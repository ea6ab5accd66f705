/** Checks EV509, EV510: accepted file types exist and are safe to open. */
import type { Check } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { suggestName } from '../../suggestions/nearest-name.ts'

const RISKY = new Set([
  'html',
  'htm',
  'xhtml',
  'svg',
  'xml',
  'exe',
  'msi',
  'com',
  'scr',
  'dll',
  'js',
  'mjs',
  'vbs',
  'ps1',
  'bat',
  'cmd',
  'sh',
  'php',
  'jar',
  'apk',
  'docm',
  'xlsm',
  'zip',
  'rar',
  '7z',
])

const riskyUpload: Check = {
  slug: 'risky-upload',
  severity: 'warning',
  why: 'Staff open the files that delegates upload.',
  find: ({ fields }) =>
    fields.flatMap(({ raw, path }) =>
      (raw.accept ?? []).flatMap((ending, index): Draft[] =>
        RISKY.has(ending)
          ? [
              {
                at: `${path}.accept.${index}`,
                message: `${ending} files can contain code`,
                help: 'ask for pdf, jpg or png',
              },
            ]
          : [],
      ),
    ),
}

/** File extensions that delegates use, other than those that can contain code. */
const KNOWN = [
  'pdf',
  'doc',
  'docx',
  'jpg',
  'jpeg',
  'png',
  'odt',
  'rtf',
  'txt',
  'xls',
  'xlsx',
  'csv',
  'ppt',
  'pptx',
  'webp',
  'heic',
  'gif',
  'tif',
  'tiff',
  'mp4',
  'mp3',
]

const unknownEnding: Check = {
  slug: 'unknown-file-extension',
  severity: 'warning',
  why: 'With an unknown file ending, no delegate can upload a file.',
  find: (model) =>
    model.fields.flatMap(({ raw, path }) =>
      (raw.accept ?? []).flatMap((ending, index): Draft[] => {
        if (RISKY.has(ending) || KNOWN.includes(ending)) return []
        const { start, end } = model.source.place(`${path}.accept.${index}`)
        return [
          {
            at: `${path}.accept.${index}`,
            message: `\`${ending}\` is not a known file ending`,
            ...suggestName(ending, KNOWN, [start.offset, end.offset]),
          },
        ]
      }),
    ),
}

export const uploads = {
  EV509: riskyUpload,
  EV510: unknownEnding,
}
