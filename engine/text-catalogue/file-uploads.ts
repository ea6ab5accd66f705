/** Messages about uploaded files: choosing, uploading, and files that are not accepted. */
export const UPLOAD_MESSAGES = {
  choose: 'Choose file',
  chooseAnother: 'Choose another file',
  wrongType: '{name}: {error}',
  empty: '{name} is empty. Please choose another file.',
  tooLarge: '{name} is {size}. Please choose a file of at most {limit}.',

  drop: 'or drop it here',
  types: '{first} or {last}',
  limit: 'up to {limit}',
  limitAndTypes: '{types}, up to {limit}',
  cancel: 'Cancel<hidden> {name}</hidden>',
  remove: 'Remove<hidden> {name}</hidden>',
  preparing: 'Preparing…',
  sending: 'Uploading {name}',
  progress: 'Uploading {size}: {percent}%',
  sent: '{size}, uploaded',
  uploaded: '{name} uploaded',
  selected: '{name} selected',
  waitSending: 'Uploading your file. We will continue when the upload is complete.',
  waitProgress: 'Uploading your file: {percent}%. We will continue when the upload is complete.',
  notAccepted:
    'We could not accept your file, so nothing was sent. Choose another file, or press the button again to continue without it.',
} as const

/** Error messages from the server. */
export const UPLOAD_REFUSAL_MESSAGES = {
  tooLarge: 'The file is too large. It must be {size} MB or smaller.',
  /** The name has an accepted extension, but the content is damaged or of another type. */
  wrongContent: 'This file is not a {types}. {error}',
  chooseAnother: 'Please choose another file.',
  expired: 'We no longer have this file. Please choose it again.',
  noRoom:
    'The server cannot accept files at the moment. Please try again later, or write to the organisers.',
  /** For requests that our pages never send. */
  noFile: 'Send one file, under the name of its field.',
  sendFileFirst: 'Upload the file before you send the answers.',
} as const
