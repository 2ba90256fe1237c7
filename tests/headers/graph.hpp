// A graph builder: its methods add layers, and only the whole network runs.
#pragma once
namespace gb {
class Layer;
struct Options { int level; };
class Network {
  public:
    static Network *Create();
    virtual Layer *AddAdditionLayer(const char *name) = 0;
    virtual Layer *AddActivationLayer(const Options &options, const char *name) = 0;
    virtual Layer *AddSoftmaxLayer(const Options &options, const char *name) = 0;
    virtual Layer *AddConvolution2dLayer(const Options &options, const char *name) = 0;
};
int Optimize(Network *network, const Options &options);
}  // namespace gb
