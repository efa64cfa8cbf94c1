// Quantised weights times int8 activations.
//
// Each lane holds one output. A row's sum runs over its blocks of 32 columns in order,
//   sum = fma(product of the block, scale of the activations, sum),
// whatever other rows share the loads of the weights: rows are independent bit for bit.
#pragma once

#include "cpu/outputs.inl"
#include "cpu/repack.inl"

namespace paceline::PACELINE_VARIANT {

// How far ahead a tile is fetched, factors and codes without a gap: the hardware alone falls behind a
// core that also multiplies (measured on Zen 4, 8 rows from memory: 92 without, 151 G products/s with
// it). In a whole model, whose matrices are small, 2 KiB is a tenth better than 6.
constexpr int kFetchAheadBytes = 2 << 10;

template <int bytes>
PACELINE_INLINE void fetch_ahead(const uint8_t* p) {
  PACELINE_UNROLL
  for (int at = 0; at < bytes; at += 64) prefetch(p + kFetchAheadBytes + at);
}

// Add what a block of columns gives to the sums of rows `first` … rows - 1, a few rows at a time.
template <class Format, int rows, int first = 0>
PACELINE_INLINE void add_products(const typename Format::Block& block, const int8_t* codes,
                                  const BlockTerms* terms, f32x16 (&sums)[rows]) {
  constexpr int left = rows - first, steps = (left + kDotRows - 1) / kDotRows;
  constexpr int step = (left + steps - 1) / steps;
  f32x16 products[step];
  multiply_block<Format::kCodeBits>(block, codes + first * kBlockColumns, terms + first, products);
  PACELINE_UNROLL
  for (int r = 0; r < step; ++r) {
    sums[first + r] = fma(products[r], splat(terms[first + r].scale), sums[first + r]);
  }
  if constexpr (left > step) {
    add_products<Format, rows, first + step>(block, codes, terms, sums);
  }
}

// Outputs [rows][16] of one tile for a panel of `rows` rows.
template <class Format, int rows>
PACELINE_INLINE void tile_sums(const uint8_t* tile, int64_t blocks, const int8_t* codes,
                               const BlockTerms* terms, float* out) {
  f32x16 sums[rows];
  PACELINE_UNROLL
  for (int row = 0; row < rows; ++row) sums[row] = splat(0.0f);
  for (int64_t done = 0; done < blocks; done += kGroupBlocks) {
    const int64_t left = blocks - done;
    const int count = static_cast<int>(left < kGroupBlocks ? left : kGroupBlocks);
    const typename Format::Group group(tile);
    fetch_ahead<Format::kHeaderBytes>(tile);
    const uint8_t* const codes_of_group = tile + Format::kHeaderBytes;
    for (int b = 0; b < count; ++b) {
      fetch_ahead<Format::kBlockBytes>(codes_of_group + b * Format::kBlockBytes);
      typename Format::Block block;
      group.block(b, block);
      add_products<Format>(block, codes, terms, sums);
      codes += rows * kBlockColumns;
      terms += rows;
    }
    tile += Format::kHeaderBytes + count * Format::kBlockBytes;
  }
  PACELINE_UNROLL
  for (int row = 0; row < rows; ++row) store(out + row * kTileRows, sums[row]);
}

template <class Format, int rows>
void multiply_panel(const Product& product, const Panel& panel, int64_t tile) {
  const Matrix& weight = *product.weight;
  const Activations& source = *product.source;
  const int64_t blocks = weight.blocks();
  float out[rows * kTileRows];
  tile_sums<Format, rows>(
      weight.data + (product.expert * weight.tiles + tile) * weight.tile_bytes, blocks,
      source.codes + panel.first * source.columns, source.terms + panel.first * blocks, out);
  for (int row = 0; row < rows; ++row) {
    write_outputs(product, panel.first + row, tile, load(out + row * kTileRows));
  }
}

// Call multiply_panel for the panel's number of rows.
template <class Format, int rows = kPanelRows>
void multiply_rows(const Product& product, const Panel& panel, int64_t tile) {
  if (panel.rows == rows) {
    multiply_panel<Format, rows>(product, panel, tile);
  } else if constexpr (rows > 1) {
    multiply_rows<Format, rows - 1>(product, panel, tile);
  }
}

// Panels outside, tiles inside: the tiles of a call stay in the second-level cache meanwhile.
template <class Format>
void multiply_quantised(const Product& product, int64_t first_tile, int64_t last_tile) {
  for (int64_t p = product.first_panel; p < product.last_panel; ++p) {
    for (int64_t tile = first_tile; tile < last_tile; ++tile) {
      multiply_rows<Format>(product, product.source->panels[p], tile);
    }
  }
}

}  // namespace paceline::PACELINE_VARIANT
