/** The few parts of the npm package `smpp` that this project uses; it has no types of its own. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Server, Socket } from 'node:net';

  type Fields = Readonly<Record<string, unknown>>;

  interface Session extends EventEmitter {
    readonly socket: Socket;
    /** Gives the PDU its number; false where the socket is closed. */
    send(pdu: PDU): boolean;
    close(): void;
    destroy(): void;
  }

  class PDU {
    constructor(command: string, fields?: Fields);
    readonly command: string;
    readonly command_status: number;
    readonly sequence_number: number;
    isResponse(): boolean;
    response(fields?: Fields): PDU;
    /** Parameters and TLVs by their names; a text is `{ message }`. */
    readonly [field: string]: unknown;
  }

  const smpp: {
    readonly PDU: typeof PDU;
    /** The names of command_status and their numbers. */
    readonly errors: Readonly<Record<string, number>>;
    /** GSM 03.38, an octet a character; what it lacks becomes a space. */
    readonly gsmCoder: {
      encode(text: string, shiftTable: number): Buffer;
      decode(octets: Buffer, shiftTable: number): string;
    };
    connect(options: {
      readonly host: string;
      readonly port: number;
      readonly tls: boolean;
      readonly ca?: Buffer;
    }): Session;
    createServer(
      options: { readonly key?: string; readonly cert?: string },
      listener: (session: Session) => void,
    ): Server;
  };
  export default smpp;
  export type { PDU, Session };
}
