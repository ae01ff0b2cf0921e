// Converts a database in columns to blocks, which the service reads in place. Columns compress better. data/README.md describes both.

const FROM = "UTCOLS3\n";
const TO = "UTCOLS4\n";

/** The ranges, and the locations, in a block: after so many, the differences start anew. */
const ROWS = 16;

/** The tables of ranges, and how many words of 32 bits a start has. */
const TABLES = [
  ["ipv4", 1],
  ["ipv6", 2],
  ["longer", 4],
];

/** Returns a database in columns as a database in blocks. */
export function convertColumns(file) {
  const { header, numbers, bytes } = readColumns(file);
  const { databaseType, description, builtAt } = header;
  const locations = ["countries", "regions", "cities", "latitudes", "longitudes"].map(numbers);
  const parts = [
    ...TABLES.flatMap(([table, width]) =>
      rangeParts(table, width, numbers(`${table}-starts`), numbers(`${table}-ids`)),
    ),
    ...locationParts(locations),
    ["string-ends", wordBytes(withZero(numbers("ends")))],
    ["strings", bytes("strings")],
  ];
  const text = Buffer.from(
    JSON.stringify({
      databaseType,
      description,
      builtAt,
      locations: locations[0].length,
      parts: parts.map(([name, { length }]) => [name, length]),
    }),
  );
  const length = wordBytes(Uint32Array.of(text.length));
  return Buffer.concat([Buffer.from(TO), length, text, ...parts.map(([, part]) => part)]);
}

function readColumns(file) {
  const start = FROM.length + 4;
  if (file.toString("latin1", 0, FROM.length) !== FROM) {
    throw new Error(`the file does not start with ${FROM.trim()}`);
  }
  let end = start + file.readUInt32LE(start - 4);
  const header = JSON.parse(file.toString("utf8", start, end));
  const columns = new Map();
  for (const [name, length, count] of header.columns) {
    columns.set(name, { bytes: file.subarray(end, end + length), count });
    end += length;
  }
  return {
    header,
    bytes: (name) => columns.get(name).bytes,
    numbers: (name) => readNumbers(columns.get(name)),
  };
}

/** Reads a column: each number is the difference from the one before, as a varint in the zigzag form of protobuf. */
function readNumbers({ bytes, count }) {
  const numbers = new Uint32Array(count);
  let at = 0;
  let number = 0;
  for (let index = 0; index < count; index++) {
    let zigzag = 0;
    let byte = 128;
    for (let shift = 0; byte > 127; shift += 7) {
      byte = bytes[at++];
      zigzag |= (byte & 127) << shift;
    }
    number = (number + ((zigzag >>> 1) ^ -(zigzag & 1))) | 0;
    numbers[index] = number;
  }
  return numbers;
}

/** Returns the parts of a table. The column of starts has the first words of all, then their second words, and so on. */
function rangeParts(table, width, starts, ids) {
  const count = ids.length;
  const start = (row) => Array.from({ length: width }, (_, word) => starts[word * count + row]);
  const blocks = Math.ceil(count / ROWS);
  // The first start and the position of each block. One more row has the end of the last block, and the end of the addresses, 0.
  const index = new Uint32Array((blocks + 1) * (width + 1));
  const rows = varints((width + 1) * 5 * count);
  for (let row = 0; row < count; row++) {
    if (row % ROWS === 0) {
      index.set([...start(row), rows.length], (row / ROWS) * (width + 1));
      rows.add(ids[row]);
    } else {
      for (let word = 0; word < width; word++) {
        rows.add(starts[word * count + row] - starts[word * count + row - 1]);
      }
      rows.add(ids[row] - ids[row - 1]);
    }
  }
  index[index.length - 1] = rows.length;
  return [
    [`${table}-firsts`, wordBytes(countsBefore(index, blocks, width))],
    [`${table}-index`, wordBytes(index)],
    [`${table}-blocks`, rows.bytes()],
  ];
}

/** Returns the number of blocks that start before each value of the first bits, as many bits as there are blocks for, at most 16. */
function countsBefore(index, blocks, width) {
  const bits = Math.min(16, Math.max(1, Math.floor(Math.log2(blocks))));
  const before = new Uint32Array(2 ** bits + 1);
  let block = 0;
  for (let first = 0; first < before.length; first++) {
    while (block < blocks && index[block * (width + 1)] >>> (32 - bits) < first) {
      block++;
    }
    before[first] = block;
  }
  return before;
}

function locationParts(columns) {
  const count = columns[0].length;
  const index = new Uint32Array(Math.ceil(count / ROWS) + 1);
  const rows = varints(columns.length * 5 * count);
  for (let row = 0; row < count; row++) {
    const isFirst = row % ROWS === 0;
    if (isFirst) {
      index[row / ROWS] = rows.length;
    }
    for (const column of columns) {
      rows.add(column[row] - (isFirst ? 0 : column[row - 1]));
    }
  }
  index[index.length - 1] = rows.length;
  return [
    ["location-index", wordBytes(index)],
    ["location-blocks", rows.bytes()],
  ];
}

/** Returns a list of varints of at most `capacity` bytes. Numbers are modulo 2^32. */
function varints(capacity) {
  const buffer = Buffer.allocUnsafeSlow(capacity);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(number) {
      const difference = number | 0;
      let zigzag = ((difference << 1) ^ (difference >> 31)) >>> 0;
      for (; zigzag > 127; zigzag >>>= 7) {
        buffer[length++] = zigzag | 128;
      }
      buffer[length++] = zigzag;
    },
    bytes: () => buffer.subarray(0, length),
  };
}

/** Returns words with a 0 before them. */
function withZero(words) {
  const all = new Uint32Array(words.length + 1);
  all.set(words, 1);
  return all;
}

/** Returns the bytes of words, the lowest first. */
function wordBytes(words) {
  const bytes = Buffer.alloc(4 * words.length);
  for (const [index, word] of words.entries()) {
    bytes.writeUInt32LE(word, 4 * index);
  }
  return bytes;
}
